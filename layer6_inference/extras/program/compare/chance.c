/* chance.c - the probability with which a chain chooses a token, read off the distribution that
 * its last stage draws from.  See study.h.
 *
 * For a stage with its own random choice before that (xtc), its actual outcome is used. */
#include "study.h"

#include <math.h>

/* A skewed uniform sample, u^(e^-S), is between the sums a and b of the sorted probabilities
 * if u is between a^(e^S) and b^(e^S). */
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
    if (chain_needs(chain, NEEDS_LOOK_AHEAD)) return token == after->chosen ? 0 : -INFINITY;
    return after->skew != 0 ? bent(after, token) : candidates_log_prob(after, token);
}
