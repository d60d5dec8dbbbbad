/* tfs.c - tail-free sampling: the tail begins where the curve of sorted probabilities flattens,
 * measured by second differences.
 *
 *     p sorted      d1_i = p_i - p_{i+1}      d2_i = |d1_i - d1_{i+1}| / sum
 *     keep while the d2 so far sum to at most Z */
#include "stage.h"

#include <math.h>

enum { Z, KEEP };

enum {
    HEAD = 14, /* below e^-14 of the best, tokens add less than 2e-6 to the sum */
    LANES = 8,
    PARTS = 256
};

static double curvature(const float *p, size_t i) {
    return fabs((double)p[i] - 2 * (double)p[i + 1] + (double)p[i + 2]);
}

/* The second differences begin .. end-1, summed in lanes: a single sum would wait for each
 * addition. */
static double bends(const float *p, size_t begin, size_t end) {
    double lane[LANES] = {0};
    for (; begin + LANES <= end; begin += LANES)
        for (size_t k = 0; k < LANES; k++) lane[k] += curvature(p, begin + k);
    for (size_t k = 0; begin + k < end; k++) lane[k] += curvature(p, begin + k);
    for (size_t width = LANES / 2; width; width /= 2)
        for (size_t k = 0; k < width; k++) lane[k] += lane[k + width];
    return lane[0];
}

/* How many of n second differences make up the share z; n or more when all are 0. */
static size_t bends_within(const float *p, size_t n, double z) {
    double sum[PARTS], total = 0, so_far = 0;
    size_t size = n / PARTS + 1, i = 0;
    for (size_t k = 0; k < PARTS; k++)
        total += sum[k] = bends(p, min_size(k * size, n), min_size((k + 1) * size, n));
    if (total <= 0) return n + 1;
    for (; i < PARTS && so_far + sum[i] <= z * total; i++) so_far += sum[i];
    for (i = min_size(i * size, n); i < n && (so_far += curvature(p, i)) <= z * total;) i++;
    return i;
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double z = stage->value[Z];
    size_t min_keep = (size_t)stage->value[KEEP], alive = candidates_alive(c);
    if (alive < 3) return;
    candidates_keep_above(c, candidates_max(c) - HEAD, min_keep);
    candidates_sort(c);
    size_t n = min_size(c->count, alive);
    float *p = c->work[0];
    vector_exp(p, c->logits, c->logits[0], n);
    for (int i = 0; i < 2 && n < alive; i++) p[n++] = 0; /* the curve continues near 0 */
    /* a second difference belongs to the middle of three points */
    size_t kept = 1 + bends_within(p, n - 2, z);
    candidates_keep_best(c, kept > min_keep ? kept : min_keep);
}

const StageKind stage_tfs = {
    .name = "tfs",
    .gloss = "cut the tail where the curve of sorted probabilities flattens",
    .formula = "d2_i = |p_i - 2 p_{i+1} + p_{i+2}| / sum;  keep 1 + the number with  d2_1 + "
               "... + d2_i <= Z",
    .advice = "an early idea that min_p has replaced.  0.9 to 0.99.",
    .source = "Bricken 2019, trentbrick.github.io/Tail-Free-Sampling",
    .example = "tfs:0.9",
    .params = {{.key = "z", .low = 0, .high = 1, .required = true, .off = 1, .has_off = true},
               PARAM_KEEP},
    .apply = apply};
