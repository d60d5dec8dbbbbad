/* made.h - small models of other families, for the graders. */
#ifndef STRATA_MADE_H
#define STRATA_MADE_H

#include "families.h"
#include "grader.h"
#include "make_model.h"
#include "models.h"

enum { SOURCE = 6, MADE = 12 };

typedef struct Made {
    unsigned char *bytes;
    Model model;
    Session mine, ours;
    Batch batch;
    int32_t token[MADE], sequence[MADE], position[MADE];
    bool wanted[MADE];
} Made;

/* A small model of a family, and a text for it, of which it reads the first SOURCE tokens if it has an encoder. */
static inline void make(Made *m, const char *family) {
    MakeModel all = make_model_defaults(family);
    SessionConfig config = {.sequences = 1, .max_tokens = MADE, .max_logits = MADE};
    Fault fault;
    size_t size;
    m->bytes = make_model(&all, &size);
    NEED(model_open_memory(&m->model, m->bytes, size, &fault));
    NEED(session_open(&m->mine, &m->model, NULL, config, &fault));
    NEED(session_open(&m->ours, &m->model, NULL, config, &fault));
    for (int32_t i = 0; i < MADE; i++) {
        m->token[i] = 5 + (int32_t)fresh_below(200), m->position[i] = i;
        m->wanted[i] = i >= SOURCE;
        if (m->token[i] == more_of(&m->model)->start) m->token[i]++;
    }
    if (more_of(&m->model)->encoder) m->token[SOURCE] = more_of(&m->model)->start;
    m->batch = (Batch){MADE, m->token, m->sequence, m->position, m->wanted, NULL};
}

static inline void unmake(Made *m) {
    session_close(&m->mine), session_close(&m->ours), model_close(&m->model);
    free(m->bytes);
}

#endif
