/* run_draft.h - what a model's draft head says to each token of a text. */
#ifndef STRATA_RUN_DRAFT_H
#define STRATA_RUN_DRAFT_H

#include "inference.h"

#include <stdio.h>

static inline void run_draft_check(bool ok, const Fault *fault) {
    REQUIRE(ok, "a draft head runs: %s", fault->text);
}

/* logits (n, vocab): row p of token p, and of what the model knew at p - 1; the model reads first. */
static inline void run_draft(const Model *model, const int32_t *tokens, size_t n, Pool *pool,
                             float *logits) {
    Model head;
    Session session, drafts;
    Fault fault;
    size_t dim = model->sizes.dim, vocab = model->sizes.vocab;
    SessionConfig config = {.sequences = 1, .max_tokens = n, .max_logits = n};
    float *hidden = calloc((n + 1) * dim, sizeof *hidden);
    int32_t *place = calloc(2 * n, sizeof *place);
    bool *wanted = malloc(n);
    for (size_t i = 0; i < n; i++) place[i] = (int32_t)i, wanted[i] = true;
    run_draft_check(draft_head_open(&head, model, &fault), &fault);
    run_draft_check(session_open(&session, model, pool, config, &fault), &fault);
    run_draft_check(session_open(&drafts, &head, pool, config, &fault), &fault);
    run_draft_check(session_eval(&session, tokens, n, true, &fault), &fault);
    for (size_t i = 0; i < n; i++) draft_head_row(&session, i, hidden + (i + 1) * dim);
    Batch batch = {n, tokens, place + n, place, wanted, hidden};
    run_draft_check(model_forward(&drafts, &batch, &fault), &fault);
    memcpy(logits, drafts.logits, n * vocab * sizeof *logits);
    session_close(&drafts), session_close(&session);
    free(hidden), free(place), free(wanted);
}

#endif
