/* typical.c - keep the tokens whose surprisal is nearest to the expected one: neither absurd
 * nor dull. */
#include "stage.h"

enum { P, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    candidates_keep_near(c, candidates_entropy(c), stage->value[P], (size_t)stage->value[KEEP]);
}

const StageKind stage_typical = {
    .name = "typical",
    .gloss = "keep the tokens of nearly average surprisal that make up p of the probability",
    .formula = "in order of |-ln p_i - H| until  the probabilities add up to P",
    .advice = "long texts that should neither bore nor ramble.  May drop the likeliest token.",
    .source = "Meister et al. 2022, arXiv:2202.00666",
    .example = "typical:0.6",
    .params = {{.key = "p", .low = 0, .high = 1, .required = true, .off = 1, .has_off = true},
               PARAM_KEEP},
    .apply = apply};
