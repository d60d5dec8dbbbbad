/* strips_template.h - the loops around a tile of weighted_sum.  A sibling of vector.c defines,
 * and then includes it:
 *
 *     INLINE        prefix of functions to inline
 *     LANES         numbers in a register
 *     MAX_RESULTS   results of a tile, 4 or 8
 *     SUMS          registers for their sums
 *     tile(C, R, format, task, at)   C results, R registers each; x begins at number `at`
 *
 * A strip of 16 columns is 16 / LANES registers. */
#ifndef STRATA_STRIPS_TEMPLATE_H
#define STRATA_STRIPS_TEMPLATE_H

#include "../kernels/kernel_types.h"

/* The task from result c and column i on. */
static inline WeightedTask results_from(WeightedTask t, size_t c, size_t i) {
    t.y += c * t.y_step + i, t.a += c * t.a_step;
    return t;
}

/* The first C results, all whole registers.  Few results take several strips side by side, so
 * that each number of a serves more sums and their latency is hidden. */
INLINE void sum_results(int C, StripFormat format, WeightedTask t) {
    enum { WHOLE = STRIP / LANES };
    const int fit = SUMS / WHOLE / C, side = fit < 4 ? fit : 4;
    const size_t wide = (size_t)side * STRIP;
    size_t i = 0, at = 0;
    for (; side > 1 && i + wide <= t.n; i += wide, at += (size_t)side * t.x_step)
        tile(C, side * WHOLE, format, results_from(t, 0, i), at);
    for (; i + STRIP <= t.n; i += STRIP, at += t.x_step)
        tile(C, WHOLE, format, results_from(t, 0, i), at);
    for (; i + LANES <= t.n; i += LANES, at += LANES)
        tile(C, 1, format, results_from(t, 0, i), at);
}

/* All results; returns the columns done. */
INLINE size_t sum_strips(StripFormat format, WeightedTask t) {
    size_t c = 0;
    for (; MAX_RESULTS >= 8 && c + 8 <= t.count; c += 8)
        sum_results(8, format, results_from(t, c, 0));
    for (; c + 4 <= t.count; c += 4) sum_results(4, format, results_from(t, c, 0));
    for (; c + 2 <= t.count; c += 2) sum_results(2, format, results_from(t, c, 0));
    if (c < t.count) sum_results(1, format, results_from(t, c, 0));
    return t.n / LANES * LANES;
}

static inline WeightedTask columns_after(WeightedTask t, size_t done, StripFormat format) {
    size_t at = done / STRIP * t.x_step + done % STRIP;
    t.x = (const char *)t.x + at * strip_number_bytes(format);
    t.y += done, t.n -= done;
    return t;
}

/* The kernel `rest` takes the columns that do not fill a register. */
#define WEIGHTED_SUM(isa, name, rest, format)                \
    isa void name(const WeightedTask *t) {                   \
        size_t done = sum_strips(format, *t);                \
        WeightedTask left = columns_after(*t, done, format); \
        if (left.n) rest(&left);                             \
    }

#define WEIGHTED_SUMS(attribute, isa, rest)                                                \
    WEIGHTED_SUM(attribute, weighted_sum_##isa, weighted_sum_##rest, STRIP_F32)            \
    WEIGHTED_SUM(attribute, weighted_sum_f16_##isa, weighted_sum_f16_##rest, STRIP_F16)    \
    WEIGHTED_SUM(attribute, weighted_sum_bf16_##isa, weighted_sum_bf16_##rest, STRIP_BF16) \
    WEIGHTED_SUM(attribute, weighted_sum_low4_##isa, weighted_sum_low4_##rest, STRIP_LOW4) \
    WEIGHTED_SUM(attribute, weighted_sum_high4_##isa, weighted_sum_high4_##rest, STRIP_HIGH4)

#endif
