/* tfs.c - tail-free sampling: find the tail by where the curve of sorted probabilities flattens, which its second
 * differences tell.
 *
 *     p sorted      d1_i = p_i - p_{i+1}      d2_i = |d1_i - d1_{i+1}| / sum      keep while the d2 so far <= Z
 */
#include "stage.h"

#include <math.h>

enum { HEAD = 14 }; /* what lies e^-14 below the best adds less than 2e-6 to the sum */

static double bend(const float *p, size_t i) {
    return fabs((double)p[i] - 2 * (double)p[i + 1] + (double)p[i + 2]);
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double z = stage->value[0], total = 0, so_far = 0;
    size_t least = (size_t)stage->value[1], alive = candidates_alive(c), kept = 0;
    if (z >= 1 || alive < 3) return;
    candidates_keep_above(c, candidates_max(c) - HEAD, least);
    candidates_sort(c);
    size_t n = c->count < alive ? c->count : alive;
    float *p = c->work[0];
    vector_exp(p, c->logits, c->logits[0], n);
    for (int i = 0; i < 2 && n < alive; i++) p[n++] = 0; /* the curve goes on near 0 */
    for (size_t i = 0; i + 2 < n; i++) total += bend(p, i);
    if (total <= 0) return; /* a straight line has no tail */
    while (kept + 2 < n && (so_far += bend(p, kept)) <= z * total) kept++;
    kept++; /* the curve bends in the middle of three */
    candidates_keep_best(c, kept > least ? kept : least);
}

const StageKind stage_tfs = {
    .name = "tfs",
    .gloss = "cut the tail where the curve of sorted probabilities flattens",
    .formula = "d2_i = |p_i - 2 p_{i+1} + p_{i+2}| / sum;  keep 1 + the number with  d2_1 + "
               "... + d2_i <= Z",
    .advice = "an early idea that min_p has replaced.  0.9 to 0.99.",
    .source = "Phuwadol & Bailey 2019, trentbrick.github.io/Tail-Free-Sampling",
    .example = "tfs:0.9",
    .params = {{.key = "z", .low = 0, .high = 1, .needed = true, .off = 1, .has_off = true},
               PARAM_KEEP},
    .apply = apply};
