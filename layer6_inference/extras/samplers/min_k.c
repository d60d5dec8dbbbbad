/* min_k.c - cut at the cliff: where the sorted logits fall furthest for their rank.
 *
 *     l_1 >= l_2 >= ... >= l_n      range R = l_1 - l_n      w_i = (l_i - l_{i+1}) / (R i)
 *     keep the first  max(cliff, floor(TAU / R)),  cliff the i with the largest w_i
 *
 * No gap from rank m on is wider than l_m - l_n, so a fall that is steeper than (l_m - l_n) / m
 * is the steepest of all: the few logits near the best are sorted, rarely more. */
#include "more_stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAU, KEEP };

static float smallest(const Candidates *c) {
    float min = INFINITY;
    for (size_t i = 0; i < c->count; i++)
        if (c->logits[i] > -INFINITY && c->logits[i] < min) min = c->logits[i];
    return min;
}

static int min_k_falling(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The logits from `limit` on, sorted. */
static size_t sorted_from(Candidates *c, float limit) {
    float *top = c->work[0];
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->logits[i] >= limit) top[n++] = c->logits[i];
    qsort(top, n, sizeof *top, min_k_falling);
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
    for (double part = 1.0 / 64; part <= 1; part *= 4) {
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
