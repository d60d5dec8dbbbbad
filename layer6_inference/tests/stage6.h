/* stage6.h - a small random model with a session, for the tests of layer 6. */
#ifndef STRATA_STAGE6_H
#define STRATA_STAGE6_H

#include "check.h"
#include "inference_extras.h"
#include "make_model.h"

typedef struct Stage6 {
    Model model;
    Session session;
    Candidates candidates;
    Arena arena;
    unsigned char *bytes;
} Stage6;

/* Attention remembers, or states do. */
static const char *const families[] = {"llama", "mamba", "mamba2", "lfm2", "rwkv6", "rwkv7"};
static const char *family = "llama"; /* of the next model */
enum { FAMILIES = sizeof families / sizeof *families };

static inline void open_one(Stage6 *w, uint64_t seed, size_t sequences) {
    MakeModel m = make_model_defaults(family);
    size_t size;
    Fault fault;
    m.ctx = 192, m.seed = seed;
    w->bytes = make_model(&m, &size);
    assert_true(model_open_memory(&w->model, w->bytes, size, &fault));
    assert_true(session_open(
        &w->session, &w->model, NULL,
        (SessionConfig){
            .sequences = sequences, .max_tokens = 32, .max_logits = 32, .rewind = 8},
        &fault));
    arena_measure(&w->arena), candidates_init(&w->candidates, MAKE_VOCAB, &w->arena);
    assert_true(arena_init(&w->arena, w->arena.used, &fault));
    candidates_init(&w->candidates, MAKE_VOCAB, &w->arena);
}

static inline void close_one(Stage6 *w) {
    session_close(&w->session), model_close(&w->model), arena_free(&w->arena), free(w->bytes);
}

#endif
