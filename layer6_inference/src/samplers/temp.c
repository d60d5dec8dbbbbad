/* temp.c - temperature: every logit divided by T.  Below 1 likely tokens gain, above 1 they
 * lose; at 0 or below only the most likely one is left.  With a range, T follows the entropy:
 * confident steps stay cool, open ones get warm. */
#include "stage.h"

#include <math.h>

enum { T, RANGE, EXPONENT };

/* From max(0, t - range) to t + range, by the entropy's share of its maximum. */
static double by_entropy(const Stage *stage, Candidates *c) {
    double t = stage->value[T], range = stage->value[RANGE];
    size_t alive = candidates_alive(c);
    if (alive < 2) return t;
    double low = fmax(0, t - range), high = t + range;
    double share = fmin(1, candidates_entropy(c) / log((double)alive));
    return low + (high - low) * pow(share, stage->value[EXPONENT]);
}

/* Divides all logits by T (candidates_scale multiplies them, and keeps what is known of them
 * valid: the largest, the sums).  If T is below 1e-6, only the best stays. */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double t = stage->value[T];
    if (t > 0 && stage->value[RANGE] > 0) t = by_entropy(stage, c);
    if (t == 1) return;
    if (t < 1e-6)
        candidates_keep_best(c, 1);
    else
        candidates_scale(c, (float)(1 / t));
}

static bool is_off(const Stage *stage) {
    return stage->value[T] == 1 && stage->value[RANGE] <= 0;
}

const StageKind stage_temp = {
    .name = "temp",
    .gloss = "divide the logits by T: below 1 safer, above 1 bolder, 0 or less greedy",
    .formula = "logit' = logit / T;  with range R:  T' = max(0, T-R) + (T+R - max(0, T-R)) (H "
               "/ ln n)^E",
    .advice = "the first thing to turn.  After truncation it changes odds among survivors, "
              "before it also which survive.",
    .source = "Ackley, Hinton & Sejnowski 1985, doi:10.1207/s15516709cog0901_7; by entropy: "
              "llama.cpp's dynamic temperature",
    .example = "temp:0.6",
    .params =
        {{.key = "t", .low = -100, .high = 100, .required = true, .off = 1, .has_off = true},
         {.key = "range", .low = 0, .high = 100},
         {.key = "exp", .default_value = 1, .low = 0, .high = 100}},
    .is_off = is_off,
    .apply = apply};
