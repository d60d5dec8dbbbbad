/* strips_template.h - which tiles a weighted sum is made of.  For the siblings of vector.c, which define
 * before they include it
 *
 *     LANES     numbers in a register
 *     INLINE    how a function begins that is inlined there
 *     tile(C, R, half, task, at)    C results, R registers each, with x from its at-th number on: the one function that differs
 *
 * A strip of 16 columns is 16 / LANES registers. */
#ifndef STRATA_STRIPS_TEMPLATE_H
#define STRATA_STRIPS_TEMPLATE_H

#include "../kernel_types.h"

/* The results from c on, and of these the columns from i on. */
static inline WeightedTask results_from(WeightedTask t, size_t c, size_t i) {
    t.y += c * t.y_step + i, t.a += c * t.a_step;
    return t;
}

/* All columns that fill registers; returns how many those are.  x begins `at` numbers further on. */
INLINE size_t sum_strips(bool half, WeightedTask t) {
    enum { WHOLE = STRIP / LANES };
    size_t i = 0, at = 0;
    /* a single result takes four strips at a time, to have as many sums under way */
    for (; t.count == 1 && i + 4 * STRIP <= t.n; i += 4 * STRIP, at += 4 * t.x_step)
        tile(1, 4 * WHOLE, half, results_from(t, 0, i), at);
    for (; i + STRIP <= t.n; i += STRIP, at += t.x_step) {
        size_t c = 0;
        for (; c + 4 <= t.count; c += 4) tile(4, WHOLE, half, results_from(t, c, i), at);
        for (; c + 2 <= t.count; c += 2) tile(2, WHOLE, half, results_from(t, c, i), at);
        if (c < t.count) tile(1, WHOLE, half, results_from(t, c, i), at);
    }
    for (; i + LANES <= t.n; i += LANES, at += LANES)
        for (size_t c = 0; c < t.count; c++) tile(1, 1, half, results_from(t, c, i), at);
    return i;
}

/* The task without its first columns. */
static inline WeightedTask columns_after(WeightedTask t, size_t done, bool half) {
    size_t at = done / STRIP * t.x_step + done % STRIP;
    t.x = (const char *)t.x + at * (half ? sizeof(uint16_t) : sizeof(float));
    t.y += done, t.n -= done;
    return t;
}

/* The kernel of a set; the columns that fill no register go to the version `rest`. */
#define WEIGHTED_SUM(isa, name, rest, half)                \
    isa void name(const WeightedTask *t) {                 \
        size_t done = sum_strips(half, *t);                \
        WeightedTask left = columns_after(*t, done, half); \
        if (left.n) rest(&left);                           \
    }

#endif
