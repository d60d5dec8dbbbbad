/* gumbel.c - the largest logit + noise.  With Gumbel noise each token wins with exactly its
 * probability; no sum is needed, and every token has its own uniform sample u.
 *
 * A token wins if  -ln u < w,  w = exp(logit - best so far).  Since -ln u >= 1 - u,
 * comparing 1 - u with w rejects most tokens without a logarithm. */
#include "stage.h"

#include <math.h>

static void toss(const Candidates *c, const Step *step, uint64_t stream, size_t from, size_t n,
                 double *u) {
    if (c->dense)
        rng_units(step->seed, stream, from, u, n);
    else
        for (size_t i = 0; i < n; i++)
            u[i] = rng_unit(step->seed, stream, (uint64_t)c->ids[from + i]);
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    float chances[SCAN_CHUNK];
    double u[SCAN_CHUNK];
    uint64_t stream = rng_hash(step->seed, step->position, stage->index);
    double best = -INFINITY;
    for (size_t from = 0; from < c->count; from += SCAN_CHUNK) {
        size_t size = c->count - from < SCAN_CHUNK ? c->count - from : SCAN_CHUNK;
        double known = best > -1e30 ? best : (double)candidates_max(c) - 50;
        vector_exp(chances, c->logits + from, (float)known - 0.01f, size); /* an upper bound */
        toss(c, step, stream, from, size, u);
        for (size_t i = 0; i < size; i++) {
            if (1 - u[i] >= (double)chances[i]) continue;
            double score = (double)c->logits[from + i] - log(-log(u[i] + 0x1p-54));
            if (score <= best) continue;
            best = score;
            c->chosen = candidates_id(c, from + i);
        }
    }
}

const StageKind stage_gumbel = {
    .name = "gumbel",
    .gloss = "pick the largest of logit + Gumbel noise: the same distribution as draw",
    .formula = "token = argmax (logit_i - ln(-ln u_i)),  u_i uniform in (0, 1)",
    .advice =
        "when every token needs its own uniform sample: parallel machines, coupled samples.",
    .source = "Gumbel 1954; Maddison, Tarlow & Minka 2014, arXiv:1411.0030",
    .example = "gumbel",
    .selects = true,
    .apply = apply};
