/* run_draft.h - what a draft head, of a model or for one, says to each token of a text. */
#ifndef STRATA_RUN_DRAFT_H
#define STRATA_RUN_DRAFT_H

#include "draft_head.h"
#include "families.h"
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
    session.all_rows = true;
    run_draft_check(session_eval(&session, tokens, n, true, &fault), &fault);
    draft_head_rows(&drafts, &session, n, hidden + dim);
    Batch batch = {n, tokens, place + n, place, wanted, hidden};
    run_draft_check(session_forward(&drafts, &batch, &fault), &fault);
    memcpy(logits, drafts.logits, n * vocab * sizeof *logits);
    session_close(&drafts), session_close(&session);
    free(hidden), free(place), free(wanted);
}

/* The token of a row of its head: d2t. */
static inline size_t guess_of(const Model *head, size_t row) {
    const GgufTensor *t = gguf_find_tensor(&head->gguf, "d2t");
    int64_t token = (int64_t)row;
    if (t) memcpy(&token, t->data + row * sizeof token, sizeof token);
    return (size_t)token;
}

/* The same of a head in a file of its own: row p is of token p + 1.  The model reads the first `known` tokens alone, and then
 * the head's own rows stand in, as when it drafts.
 *
 *   logits   (n - 1, rows of its head) */
static inline void run_guesses(Model *head, const Model *model, const int32_t *tokens, size_t n,
                               size_t known, Pool *pool, float *logits) {
    Session session, drafts;
    Fault fault;
    size_t dim = head->sizes.dim, wide = DRAFT_DEPTHS * model->sizes.dim;
    SessionConfig config = {.sequences = 1, .max_tokens = n, .max_logits = n};
    float *hidden = calloc((n + 1) * dim, sizeof *hidden),
          *tapped = malloc(n * wide * sizeof *tapped);
    run_draft_check(draft_head_fit(head, model, &fault), &fault);
    run_draft_check(session_open(&session, model, pool, config, &fault), &fault);
    run_draft_check(session_open(&drafts, head, pool, config, &fault), &fault);
    session.all_rows = drafts.all_rows = true;
    session_tap(&session, model_extras(head)->draft_head.layers, DRAFT_DEPTHS, tapped);
    run_draft_check(session_eval(&session, tokens, known, false, &fault), &fault);
    draft_head_rows(&drafts, &session, known, hidden + dim);
    for (size_t p = 0; p < n; p++) {
        int32_t at[2] = {(int32_t)p, 0};
        Batch batch = {1, tokens + p, at + 1, at, &(bool){true}, hidden + p * dim};
        run_draft_check(session_forward(&drafts, &batch, &fault), &fault);
        for (size_t i = 0; p && i < model_extras(head)->draft_head.count; i++)
            *logits++ = drafts.logits[guess_of(head, i)];
        if (p >= known) draft_head_rows(&drafts, &drafts, 1, hidden + (p + 1) * dim);
    }
    session_close(&drafts), session_close(&session);
    free(hidden), free(tapped);
}

/* What an assistant says follows token known, known + 1, ... of a text, of which the model reads the first `known` alone.
 *
 *   logits   (n - known, vocab) */
static inline void run_assistant(Model *head, const Model *model, const int32_t *tokens,
                                 size_t n, size_t known, KvFormat kv, float *logits) {
    Session session, drafts;
    Fault fault;
    size_t width = model->sizes.dim, vocab = model->sizes.vocab;
    SessionConfig config = {.sequences = 2, .max_tokens = n, .max_logits = n, .kv = kv};
    float *hidden = calloc((n + 1) * width, sizeof *hidden);
    int32_t *place = calloc(2 * n, sizeof *place);
    bool *wanted = calloc(2, n);
    for (size_t i = 0; i < n; i++) place[i] = (int32_t)i, wanted[i] = i >= known;
    run_draft_check(draft_head_fit(head, model, &fault), &fault);
    run_draft_check(session_open(&session, model, NULL, config, &fault), &fault);
    run_draft_check(session_open(&drafts, head, NULL, config, &fault), &fault);
    session.all_rows = true;
    run_draft_check(assistant_reads(&drafts, &session, &fault), &fault);
    run_draft_check(session_eval(&session, tokens, known, false, &fault), &fault);
    draft_head_rows(&drafts, &session, known, hidden + width);
    for (size_t p = 0, count; p < n;
         p += count) { /* first all that the model knows, and the next */
        count = p ? 1 : known + 1;
        Batch batch = {count, tokens + p, place + n, place + p, wanted + p, hidden + p * width};
        run_draft_check(session_forward(&drafts, &batch, &fault), &fault);
        memcpy(logits, drafts.logits, vocab * sizeof *logits), logits += vocab;
        if (p + count == n) break;
        float *rows = calloc(count * width, sizeof *rows);
        draft_head_rows(&drafts, &drafts, count, rows);
        memcpy(hidden + (p + count) * width, rows + (count - 1) * width, width * sizeof *rows);
        free(rows);
    }
    session_close(&drafts), session_close(&session);
    free(hidden), free(place), free(wanted);
}

#endif
