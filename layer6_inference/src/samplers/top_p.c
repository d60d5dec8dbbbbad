/* top_p.c - keep the smallest set of likely tokens whose probabilities add up to p: the
 * nucleus. */
#include "stage.h"

enum { P, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    candidates_keep_mass(c, stage->value[P], (size_t)stage->value[KEEP]);
}

const StageKind stage_top_p = {
    .name = "top_p",
    .gloss = "keep the likely tokens that make up p of the probability",
    .formula = "from best to worst until  p_1 + ... + p_n >= P",
    .advice = "the standard: narrow when the model is sure, wide when it is not.  0.9 to 0.95.",
    .source = "Holtzman et al. 2019, arXiv:1904.09751",
    .example = "top_p:0.8",
    .params = {{.key = "p", .low = 0, .high = 1, .required = true, .off = 1, .has_off = true},
               PARAM_KEEP},
    .apply = apply};
