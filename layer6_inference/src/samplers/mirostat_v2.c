/* mirostat_v2.c - keep the text's surprisal at a target: drop tokens more surprising than mu,
 * draw, and correct mu by the surprisal drawn.  See mirostat.c. */
#include "mirostat.h"

#include <math.h>

/* Keep tokens of at most mu = *stage_memory(stage) bits of surprisal, and at least the best
 * one; then mirostat_draw draws and records one. */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    double mu = *stage_memory(stage);
    candidates_keep_likely(c, -mu * log(2), 1);
    mirostat_draw(stage, c, step);
}

const StageKind stage_mirostat_v2 = {
    .name = "mirostat_v2",
    .gloss = "hold the surprisal among the survivors at TAU bits: drops what surprises more "
             "than mu, and draws",
    .formula =
        "keep -log2 p_i <= mu;  mu' = mu - E (-log2 p_drawn - TAU),  p among them,  mu_0 "
        "= 2 TAU",
    .advice = "like mirostat, without an assumption about the shape of the distribution.",
    .source = "Basu et al. 2020, arXiv:2007.14966, version 2 of the authors' code; surprisal "
              "among the survivors: llama.cpp",
    .example = "mirostat_v2:1",
    .params = {{.key = "tau", .low = 0, .high = 100, .required = true},
               {.key = "eta", .default_value = 0.1, .low = 0, .high = 1}},
    .selects = true,
    .apply = apply,
    .memory = 1,
    .begin = mirostat_begin,
    .accept = mirostat_accept};
