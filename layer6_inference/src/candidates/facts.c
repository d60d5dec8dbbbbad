/* facts.c - facts about the candidates: the largest logit, and what follows from three sums.
 *
 * Invariant: a fact is computed on first use and kept (its bit in `known`) until a logit
 * changes. */
#include "facts.h"
#include "pick.h"

#include <math.h>

float candidates_max(Candidates *c) {
    if (c->sorted) return c->logits[0];
    if (!(c->known & KNOW_MAX))
        c->max = c->dense && c->known & KNOW_SEGMENTS
                     ? vector_max(c->segment_max, segments_of(c->count))
                     : vector_max(c->logits, c->count);
    c->known |= KNOW_MAX;
    return c->max;
}

size_t candidates_best(Candidates *c) {
    if (c->sorted) return 0;
    if (!c->dense || !(c->known & KNOW_SEGMENTS))
        return pick_best(c->logits, c->dense ? NULL : c->ids, c->count);
    float max = candidates_max(c);
    size_t from = 0;
    while (from < c->count && c->segment_max[from / SCAN_SEGMENT] != max) from += SCAN_SEGMENT;
    REQUIRE(from < c->count, "no candidate has the largest logit, %g", (double)max);
    size_t n = c->count - from < SCAN_SEGMENT ? c->count - from : SCAN_SEGMENT;
    return from + pick_best(c->logits + from, NULL, n);
}

size_t candidates_alive(const Candidates *c) {
    return scan_moments(c->logits, c->count, 0).count;
}

double candidates_sum(Candidates *c) {
    if (!(c->known & KNOW_SUMS)) c->sums = scan_exp(c->logits, c->count, candidates_max(c));
    c->known |= KNOW_SUMS;
    return c->sums.sum;
}

double candidates_log_sum(Candidates *c) {
    return (double)candidates_max(c) + log(candidates_sum(c));
}

/* Not logit - log_sum: beside a logit of 1e17 the logarithm of the sum would vanish. */
double candidates_log_prob(Candidates *c, int32_t token) {
    size_t entry = candidates_find(c, token);
    if (entry == c->count) return -INFINITY;
    return (double)c->logits[entry] - (double)candidates_max(c) - log(candidates_sum(c));
}

float candidates_limit(Candidates *c, double log_p) {
    double max = (double)candidates_max(c), below = log_p + log(candidates_sum(c)) - MILLIONTH;
    float limit = (float)(max + below);
    return (double)limit - max < below ? nextafterf(limit, INFINITY) : limit;
}

/* -sum p ln p = ln S - (sum d e^d) / S,   d = logit - max,  S = sum e^d */
double candidates_entropy(Candidates *c) {
    double sum = candidates_sum(c), entropy = log(sum) - c->sums.weighted / sum;
    return entropy > 0 ? entropy : 0;
}

double candidates_collision(Candidates *c) {
    double sum = candidates_sum(c);
    return c->sums.squares / (sum * sum);
}
