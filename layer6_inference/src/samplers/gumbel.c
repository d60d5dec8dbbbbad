/* gumbel.c - the largest of logit + noise, with noise from the Gumbel distribution, falls on each token with exactly its
 * probability; no sum is needed, and every token has a coin of its own.
 *
 * The noise lies between -3.7 and 36.8 when the coin has 53 bits, so a token 40.6 below the best
 * cannot win and is passed over. */
#include "stage.h"

#include <math.h>

static void apply(Stage *stage, Candidates *c, const Step *step) {
    double best = -INFINITY, hopeless = (double)candidates_max(c) - 41;
    uint64_t stream = rng_hash(step->seed, step->position, stage->index);
    for (size_t i = 0; i < c->count; i++) {
        double logit = (double)c->logits[i];
        if (!(logit > hopeless)) continue;
        double u = rng_unit(step->seed, stream, (uint64_t)candidates_id(c, i));
        double score = logit - log(-log(u + 0x1p-54));
        if (!(score > best)) continue;
        best = score;
        c->chosen = candidates_id(c, i);
    }
}

const StageKind stage_gumbel = {
    .name = "gumbel",
    .gloss = "pick the largest of logit + Gumbel noise: the same distribution as draw",
    .formula = "token = argmax (logit_i - ln(-ln u_i)),  u_i uniform in (0, 1)",
    .advice = "when every token needs a coin of its own: parallel machines, coupled samples.",
    .source = "Gumbel 1954; Maddison, Tarlow & Minka 2014, arXiv:1411.0030",
    .example = "gumbel",
    .picks = true,
    .apply = apply};
