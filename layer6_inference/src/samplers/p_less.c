/* p_less.c - keep tokens at least as likely as two draws are to agree.  It needs no
 * parameter. */
#include "stage.h"

#include <math.h>

enum { KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    candidates_keep_likely(c, log(candidates_collision(c)), (size_t)stage->value[KEEP]);
}

const StageKind stage_p_less = {
    .name = "p_less",
    .gloss = "keep tokens at least as likely as two draws are to agree; no parameter",
    .formula = "keep p_i >= sum p^2",
    .advice = "a truncation with nothing to tune.",
    .source = "Tan et al. 2025, arXiv:2509.23234",
    .example = "p_less",
    .params = {PARAM_KEEP},
    .apply = apply};
