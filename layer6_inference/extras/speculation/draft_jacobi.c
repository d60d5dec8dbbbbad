/* draft_jacobi.c - the model's own guesses of the pass before, verified and improved in this
 * one.
 *
 *     pass 1   text | a  b  c  d      guesses: any
 *              rows   A  x  y  z      what the model says after the text, a, ab, abc
 *     pass 2   text A | x' y' z'      x was said after a and not after A: a better guess only
 *
 * A fixed point of "every guess is what the model says after those before it" is the model's
 * greedy text (Jacobi's method for equations), and each pass settles at least one token.  Where
 * there is no guess: what the model said last after the same token.
 *
 * Source   Santilli et al. 2023, arXiv:2305.10427, algorithm 1; Fu et al. 2024,
 *          arXiv:2402.02057, which keep longer runs of former guesses. */
#include "draft.h"

#include <stdlib.h>

typedef struct Jacobi {
    int32_t guess[SPECULATE_MAX]; /* of the tokens after the text */
    size_t count;
    int32_t *after; /* (vocab) what the model said last after each token; owns */
} Jacobi;

/* A token that the model never read is followed by itself: any guess will do. */
static bool jacobi_open(Draft *g, Sequence *s, Fault *fault) {
    (void)s;
    Jacobi *j = g->state = calloc(1, sizeof *j);
    if (!j || !(j->after = malloc(g->vocab * sizeof *j->after)))
        return fault_set(fault, "no memory for guesses");
    for (size_t i = 0; i < g->vocab; i++) j->after[i] = (int32_t)i;
    return true;
}

static void jacobi_close(Draft *g) {
    Jacobi *j = g->state;
    if (j) free(j->after);
}

static size_t jacobi_draft(Sequence *s, int32_t *tokens, size_t room) {
    const Jacobi *j = sequence_draft(s)->state;
    int32_t last = s->tokens->ids[s->tokens->count - 1];
    for (size_t i = 0; i < room; i++)
        tokens[i] = last = i < j->count ? j->guess[i] : j->after[last];
    return room;
}

static int32_t likeliest_of(const float *row, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (row[i] > row[best]) best = i;
    return (int32_t)best;
}

/* Rows up to the first mismatch chose tokens; those after it guess the next ones. */
static void jacobi_seen(Sequence *s) {
    const Draft *g = sequence_draft(s);
    Jacobi *j = g->state;
    const Slot *slot = s->slot;
    const int32_t *end = s->tokens->ids + s->tokens->count;
    if (!s->live) return;
    for (size_t i = slot->rows; i > 0; i--)
        j->after[end[-(ptrdiff_t)i - 1]] = end[-(ptrdiff_t)i];
    j->count = 0;
    for (size_t i = slot->rows; i <= g->count; i++) {
        const float *row = slot->session->logits + (slot->row + i) * g->vocab;
        j->guess[j->count++] = j->after[g->text[i - 1]] = likeliest_of(row, g->vocab);
    }
}

const DraftKind draft_jacobi = {
    .name = "jacobi",
    .gloss = "the model's own guesses of the pass before (Jacobi iteration)",
    .open = jacobi_open,
    .draft = jacobi_draft,
    .seen = jacobi_seen,
    .close = jacobi_close};
