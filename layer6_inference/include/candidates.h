/* candidates.h - the tokens that may come next, with their logits.
 *
 *     dense     logits[token]               before anything was cut: the index is the token
 *     compact   logits[i], ids[i]           after: only the survivors
 *
 * Nearly every sampler is a threshold on the logit once a fact or two are known: the largest logit,
 * the sum of all exponentials, the entropy.  Facts are computed when they are first asked for and
 * kept until a logit changes.
 *
 * Invariant: count >= 1; in dense form ids is not used; in compact form ids are distinct.  No logit
 * is NaN or +infinity; one of -infinity has weight 0 in every sum. */
#ifndef STRATA_CANDIDATES_H
#define STRATA_CANDIDATES_H

#include "models.h"

typedef struct Candidates {
    float *logits; /* (count) */
    int32_t *ids;  /* (count) in compact form */
    size_t count, vocab;
    bool dense, sorted; /* sorted: by falling logit, lower ids first */
    int32_t chosen;     /* -1 until a stage picks */
    double skew;        /* bends the coin of draw; 0: a fair one */

    /* facts, valid while their bit is set in `known` */
    unsigned known;
    float max;
    ExpSums sums;     /* over exp(logit - max) */
    float *block_max; /* of every 64 logits, in dense form */

    /* working memory, (vocab) each; in the arena */
    float *survivors, *work[2], *nearness;
    int32_t *survivor_ids, *work_ids[2], *marks; /* marks: all 0 between stages */
    uint64_t *keys, *keys_aside;
} Candidates;

void candidates_init(Candidates *candidates, size_t vocab, Arena *arena);

/* The same in an arena of their own, to be freed with arena_free.
 *
 * Fails when memory runs out. */
bool candidates_open(Candidates *candidates, size_t vocab, Arena *arena, Fault *fault);

/* Start with the logits of a step; the array is borrowed, and stages write to it.  Where logits
 * are +infinity, those tokens alone remain, all equally likely.
 *
 * Fails when one is NaN (naming the token) or all are -infinity. */
bool candidates_load(Candidates *candidates, float *logits, Fault *fault);

int32_t candidates_id(const Candidates *candidates, size_t entry);   /* the token of an entry */
size_t candidates_find(const Candidates *candidates, int32_t token); /* count: not there */

/* ------------------------------------------------------------------ facts */

float candidates_max(Candidates *candidates);
size_t candidates_best(Candidates *candidates);      /* entry of the largest; ties: lower id */
double candidates_log_sum(Candidates *candidates);   /* ln sum exp(logit) */
double candidates_entropy(Candidates *candidates);   /* -sum p ln p, in nats */
double candidates_collision(Candidates *candidates); /* sum p^2: chance that two draws agree */
size_t candidates_alive(const Candidates *candidates); /* those above -infinity */

/* ------------------------------------------------------------------ changes */

void candidates_set(Candidates *candidates, size_t entry, float logit); /* facts are kept */
void candidates_scale(Candidates *candidates, float factor);            /* factor > 0 */
void candidates_changed(Candidates *candidates); /* logits were written: forget all facts */

/* Put the candidates in order of falling logit; equal ones by id. */
void candidates_sort(Candidates *candidates);

/* Keep the k best, sorted. */
void candidates_keep_best(Candidates *candidates, size_t k);

/* Keep those with logit >= threshold, but the `least` best in any case. */
void candidates_keep_above(Candidates *candidates, float threshold, size_t least);

/* Keep the smallest set of the best whose probabilities add up to `mass`, but the `least` best
 * in any case. */
void candidates_keep_mass(Candidates *candidates, double mass, size_t least);

/* The same, but the best are those whose logit is nearest to `center`. */
void candidates_keep_near(Candidates *candidates, double center, double mass, size_t least);

/* Keep the entries begin .. end-1. */
void candidates_keep_range(Candidates *candidates, size_t begin, size_t end);

#endif
