/* candidates.h - the tokens that may come next, with their logits.
 *
 *     dense     logits[token]               before anything was cut: the index is the token
 *     compact   logits[i], ids[i]           after: only the survivors
 *
 * Invariant: count >= 1; in dense form ids is not used; in compact form ids are distinct.  No logit is NaN; at
 * least one is above -infinity. */
#ifndef STRATA_CANDIDATES_H
#define STRATA_CANDIDATES_H

#include "models.h"

typedef struct Candidates {
    float *logits; /* (capacity); in the arena, like all below */
    int32_t *ids;  /* (capacity) */
    size_t count, capacity;
    bool dense, sorted; /* sorted: by falling logit, lower ids first */
    int32_t chosen;     /* -1 until a stage picks */
    float *kept;        /* scratch for sorting */
    int32_t *kept_ids;
} Candidates;

void candidates_init(Candidates *candidates, size_t vocab, Arena *arena);

/* Start with the logits of a step.
 *
 * Fails when one is NaN (naming the token) or all are -infinity. */
bool candidates_load(Candidates *candidates, const float *logits, Fault *fault);

int32_t candidates_id(const Candidates *candidates, size_t i); /* the token of entry i */
size_t candidates_best(
    const Candidates *candidates); /* entry with the largest logit; ties: lower id */

/* log(sum exp(logits)); with the largest logit it gives any probability: p = exp(logit -
 * this). */
double candidates_log_sum(const Candidates *candidates);

/* Keep the k best, sorted. */
void candidates_keep_best(Candidates *candidates, size_t k);

/* Keep those with logit >= threshold, but the `least` best in any case. */
void candidates_keep_above(Candidates *candidates, float threshold, size_t least);

/* Keep the smallest set of the best whose probabilities add up to `mass`, but the `least` best
 * in any case. */
void candidates_keep_mass(Candidates *candidates, double mass, size_t least);

#endif
