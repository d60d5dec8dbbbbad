/* candidates.h - the tokens that may come next, with their logits.
 *
 *     dense     logits[token]               before anything was cut: the index is the token
 *     compact   logits[i], ids[i]           after: only the survivors
 *
 * Nearly every sampler is a threshold on the logit once a fact or two are known: the largest
 * logit, the sum of all exponentials, the entropy.  Facts are computed on first use
 * and kept until a logit changes.
 *
 * Invariant: count >= 1; in dense form ids is not used; in compact form ids are distinct.  No
 * logit is NaN or +infinity; one of -infinity has weight 0 in every sum [properties,
 * infinities, bad_logits_are_named]. */
#ifndef STRATA_CANDIDATES_H
#define STRATA_CANDIDATES_H

#include "models.h"

/* How much a probability, a mass or an entropy may fall short and still count as reached,
 * because logits are floats: 0.5 + 0.3 reaches 0.8, and 3 of 10 equal tokens are 0.3. */
#define MILLIONTH 1e-6

typedef struct Candidates {
    float *logits; /* (count) */
    int32_t *ids;  /* (count) in compact form */
    size_t count, vocab;
    bool dense, sorted; /* sorted: by falling logit, lower ids first */
    int32_t chosen;     /* -1 until a stage picks */
    /* force `draw` to pick this token if it is still a candidate; -1: draw at random */
    int32_t given;
    double skew; /* skews draw's uniform sample; 0: none */

    /* facts, valid while their bit is set in `known` */
    unsigned known;
    float max;
    ExpSums sums;       /* over exp(logit - max) */
    float *segment_max; /* of every 64 logits, in dense form */

    /* working memory, (vocab) each; in the arena */
    float *survivors, *work[2], *nearness;
    int32_t *survivor_ids, *work_ids[2], *marks; /* marks: all 0 between stages */
    int32_t *entry_of;                           /* entry of a token, if known */
    uint64_t *keys, *spare_keys;
} Candidates;

void candidates_init(Candidates *candidates, size_t vocab, Arena *arena);

/* The same in a new arena; free it with arena_free.
 *
 * Fails when memory runs out. */
bool candidates_open(Candidates *candidates, size_t vocab, Arena *arena, Fault *fault);

/* Start with a step's logits; the array is borrowed and modified.  If logits are +infinity,
 * only those tokens remain, all equally likely.
 *
 * Fails when one is NaN (naming the token) or all are -infinity. */
bool candidates_load(Candidates *candidates, float *logits, Fault *fault);

/* The token of an entry. */
static inline int32_t candidates_id(const Candidates *candidates, size_t entry) {
    return candidates->dense ? (int32_t)entry : candidates->ids[entry];
}

/* The entry of a token; count: it was removed.  The first call after a cut scans the survivors,
 * the next ones take constant time. */
size_t candidates_find(Candidates *candidates, int32_t token);

/* ------------------------------------------------------------------ facts */

/* A fact is computed on first use and noted in `known`; code that writes a logit clears the
 * bits.  Sorted candidates begin with the largest logit; in dense form, with KNOW_SEGMENTS,
 * it is the largest of segment_max. */
float candidates_max(Candidates *candidates);
size_t candidates_best(Candidates *candidates);      /* entry of the largest; ties: lower id */
double candidates_sum(Candidates *candidates);       /* sum exp(logit - max): 1 and above */
double candidates_log_sum(Candidates *candidates);   /* ln sum exp(logit) */
double candidates_entropy(Candidates *candidates);   /* -sum p ln p, in nats; from float sums */
double candidates_collision(Candidates *candidates); /* sum p^2: chance that two draws agree */
size_t candidates_alive(const Candidates *candidates); /* how many are above -infinity */

/* ln p of a token, exact even beside logits of 1e17; -infinity if it was removed. */
double candidates_log_prob(Candidates *candidates, int32_t token);

/* The smallest logit with ln p >= log_p, up to MILLIONTH: the smallest float not below max +
 * log_p + ln sum - MILLIONTH. */
float candidates_limit(Candidates *candidates, double log_p);

/* ------------------------------------------------------------------ changes */

void candidates_set(Candidates *candidates, size_t entry, float logit); /* facts are kept */
void candidates_scale(Candidates *candidates, float factor);            /* factor > 0 */
void candidates_changed(Candidates *candidates); /* logits were written: drop all facts */

/* Logits were written, but their order is the same: sorted candidates stay sorted, unless two
 * became equal in the wrong order of ids. */
void candidates_kept_order(Candidates *candidates);

/* Sort by falling logit; equal ones by id. */
void candidates_sort(Candidates *candidates);

/* Keep the k best, sorted. */
void candidates_keep_best(Candidates *candidates, size_t k);

/* Keep those with logit >= threshold, but at least the min_keep best. */
void candidates_keep_above(Candidates *candidates, float threshold, size_t min_keep);

/* Keep those with ln p >= log_p, but at least the min_keep best. */
void candidates_keep_likely(Candidates *candidates, double log_p, size_t min_keep);

/* Keep the smallest set of the best whose probabilities sum to `mass`, but at least the
 * min_keep best. */
void candidates_keep_mass(Candidates *candidates, double mass, size_t min_keep);

/* The same, where the best are those whose -ln p is nearest to `surprisal`. */
void candidates_keep_near(Candidates *candidates, double surprisal, double mass,
                          size_t min_keep);

/* Keep the entries begin .. end-1. */
void candidates_keep_range(Candidates *candidates, size_t begin, size_t end);

#endif
