/* min_k.c - cut at the cliff: where the sorted logits fall furthest for their rank.
 *
 *     l_1 >= l_2 >= ... >= l_n      range R = l_1 - l_n      w_i = (l_i - l_{i+1}) / (R i)
 *     keep the first  max(cliff, floor(TAU / R)),  cliff the i with the largest w_i
 *
 * No gap from rank m on is wider than l_m - l_n, so a fall that is steeper than (l_m - l_n) / m
 * is the steepest of all: eighth by eighth of the range is sorted, until that is so. */
#include "more_stages.h"
#include "order.h"
#include "scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAU, KEEP };
enum { FEW = 500 /* above this, radix sort */ };

static float lesser(float min, float x) { return x > -INFINITY && x < min ? x : min; }

/* In lanes of their own, which the compiler computes side by side. */
static float smallest(const Candidates *c) {
    enum { LANES = 16 };
    const float *x = c->logits;
    float min[LANES];
    size_t i = 0;
    for (int k = 0; k < LANES; k++) min[k] = INFINITY;
    for (; i + LANES <= c->count; i += LANES)
        for (size_t k = 0; k < LANES; k++) min[k] = lesser(min[k], x[i + k]);
    for (; i < c->count; i++) min[0] = lesser(min[0], x[i]);
    for (int k = 1; k < LANES; k++) min[0] = lesser(min[0], min[k]);
    return min[0];
}

static int min_k_falling(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The logits from `limit` on, sorted. */
static size_t sorted_from(Candidates *c, float limit) {
    size_t n = scan_keep(c->logits, NULL, c->count, limit, c->work[0], c->work_ids[0]);
    if (n < FEW)
        qsort(c->work[0], n, sizeof *c->work[0], min_k_falling);
    else
        order_sort_many(c->work[0], NULL, n, c->keys, c->spare_keys, c->work[0],
                        c->work_ids[0]);
    return n;
}

/* The rank before the steepest fall among sorted logits; *steep: (l_i - l_{i+1}) / i there. */
static size_t steepest(const float *top, size_t n, double *steep) {
    size_t cliff = 1;
    *steep = -1;
    for (size_t i = 1; i < n; i++) {
        double fall = ((double)top[i - 1] - (double)top[i]) / (double)i;
        if (fall > *steep) *steep = fall, cliff = i;
    }
    return cliff;
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double max = (double)candidates_max(c), min = (double)smallest(c), range = max - min, steep;
    size_t min_keep = (size_t)stage->value[KEEP], cliff = 1;
    if (!(range > 0)) return;
    for (int eighths = 1; eighths <= 8; eighths++) {
        const double part = eighths / 8.0;
        double limit = part < 1 ? max - part * range : min;
        size_t n = sorted_from(c, (float)limit);
        cliff = steepest(c->work[0], n, &steep);
        if (part == 1 || steep > ((double)c->work[0][n - 1] - min) / (double)n) break;
    }
    double least = fmin(floor(stage->value[TAU] / range), (double)c->count);
    if (least > (double)cliff) cliff = (size_t)least;
    candidates_keep_best(c, cliff > min_keep ? cliff : min_keep);
}

const StageKind stage_min_k = {
    .name = "min_k",
    .gloss = "cut where the sorted logits fall furthest for their rank, whatever the "
             "temperature before it",
    .formula = "keep max(argmax_i (l_i - l_{i+1}) / (R i), floor(TAU / R)),  R = l_1 - l_n",
    .advice = "keeps few tokens: the best, unless several are close.  TAU keeps more where all "
              "logits are near each other.",
    .source = "Ding et al. 2026, arXiv:2604.11012",
    .example = "min_k:3",
    .params = {{.key = "tau", .low = 0, .high = 1e6, .required = true}, PARAM_KEEP},
    .apply = apply};
