/* house.h - a small random model and a session, for the tests of services. */
#ifndef STRATA_TEST_HOUSE_H
#define STRATA_TEST_HOUSE_H

#include "check.h"
#include "inference.h"
#include "make_model.h"

typedef struct House {
    Model model;
    Session session;
    unsigned char *bytes;
} House;

static inline void open_house_of(const char *family, House *h, SessionConfig config) {
    MakeModel m = make_model_defaults(family);
    size_t size;
    Fault fault;
    m.ctx = 192, m.seed = 3;
    h->bytes = make_model(&m, &size);
    assert_true(model_open_memory(&h->model, h->bytes, size, &fault));
    if (!session_open(&h->session, &h->model, NULL, config, &fault)) fail_msg("%s", fault.text);
}

static inline void open_house(House *h, SessionConfig config) {
    open_house_of("llama", h, config);
}

static inline void close_house(House *h) {
    session_close(&h->session), model_close(&h->model), free(h->bytes);
}

#endif
