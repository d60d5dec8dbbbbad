/* chance.c - the probability with which a chain chooses a token: known exactly, because what its last
 * stage draws from is there to be looked at.  See study.h.
 *
 * A stage that throws a coin of its own before (xtc) is taken with the side on which that fell. */
#include "study.h"

#include <math.h>

/* A bent coin, u^(e^-S), falls between the sums a and b of the sorted probabilities when u does between
 * a^(e^S) and b^(e^S). */
static double bent(Candidates *c, int32_t token) {
    candidates_sort(c);
    double before = 0, max = (double)candidates_max(c), sum = candidates_sum(c);
    for (size_t i = 0; i < c->count; i++) {
        double p = exp((double)c->logits[i] - max) / sum, power = exp(c->skew);
        if (candidates_id(c, i) == token)
            return log(pow(fmin(1, before + p), power) - pow(before, power));
        before += p;
    }
    return -INFINITY;
}

double chain_ln_p(const Chain *chain, Candidates *after, int32_t token) {
    if (chain_looks_ahead(chain)) return token == after->chosen ? 0 : -INFINITY;
    return after->skew != 0 ? bent(after, token) : candidates_log_prob(after, token);
}
