/* top_p.c - keep the smallest set of likely tokens whose probabilities add up to p (nucleus
 * sampling). Holtzman et al. 2019, arXiv:1904.09751. */
#include "stage.h"

static void apply(const Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    if (stage->value[0] < 1) candidates_keep_mass(c, stage->value[0], (size_t)stage->value[1]);
}

const StageKind stage_top_p = {
    .name = "top_p",
    .gloss = "keep the likely tokens that make up p of the probability; 1 is off",
    .params = {{.key = "p", .low = 0, .high = 1, .needed = true},
               {.key = "keep", .fallback = 1, .low = 1, .high = 1e9, .whole = true}},
    .apply = apply};
