/* cfg.c - classifier-free guidance: exaggerate how the prompt changed the logits. */
#include "stage.h"

#include <math.h>

enum { S };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    double s = stage->value[S];
    double with = candidates_log_sum(c), without = log_sum_exp(step->unconditional, c->vocab);
    for (size_t i = 0; i < c->count; i++) {
        double u = (double)step->unconditional[candidates_id(c, i)] - without,
               e = (double)c->logits[i] - with;
        u = u > -1e4 ? u : -1e4;
        c->logits[i] = c->logits[i] == -INFINITY ? -INFINITY : (float)(u + s * (e - u));
    }
    candidates_changed(c);
}

const StageKind stage_cfg = {
    .name = "cfg",
    .gloss = "go further where the prompt points (--negative TEXT: what to move away from)",
    .formula =
        "logit' = ln u_i + S (ln p_i - ln u_i),  u without the prompt or with the negative one",
    .advice = "prompts that are not followed closely enough.  1.25 to 2.",
    .source = "Sanchez et al. 2023, arXiv:2306.17806",
    .example = "cfg:1.5",
    .params =
        {{.key = "s", .low = 0, .high = 100, .required = true, .off = 1, .has_off = true}},
    .needs = NEEDS_GUIDE,
    .apply = apply};
