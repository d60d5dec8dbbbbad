/* strips_template.h - which tiles a weighted sum is made of.  For the siblings of vector.c, which define
 * before they include it
 *
 *     LANES     numbers in a register
 *     INLINE    how a function begins that is inlined there
 *     tile      C results, R registers each: the one function that differs
 *
 * A strip of 16 columns is 16 / LANES registers. */
#ifndef STRATA_STRIPS_TEMPLATE_H
#define STRATA_STRIPS_TEMPLATE_H

#include "../kernel_types.h"

/* All columns that fill registers; returns how many those are. */
INLINE size_t sum_strips(bool half, float *y, size_t y_step, const float *a, size_t a_step,
                         size_t count, const void *x, size_t x_step, size_t rows, size_t n) {
    enum { WHOLE = STRIP / LANES };
    size_t i = 0, at = 0;
    /* a single result takes four strips at a time, to have as many sums under way */
    for (; count == 1 && i + 4 * STRIP <= n; i += 4 * STRIP, at += 4 * x_step)
        tile(1, 4 * WHOLE, half, y + i, 0, a, 0, x, at, x_step, rows);
    for (; i + STRIP <= n; i += STRIP, at += x_step) {
        float *out = y + i;
        size_t c = 0;
        for (; c + 4 <= count; c += 4)
            tile(4, WHOLE, half, out + c * y_step, y_step, a + c * a_step, a_step, x, at,
                 x_step, rows);
        for (; c + 2 <= count; c += 2)
            tile(2, WHOLE, half, out + c * y_step, y_step, a + c * a_step, a_step, x, at,
                 x_step, rows);
        if (c < count)
            tile(1, WHOLE, half, out + c * y_step, 0, a + c * a_step, 0, x, at, x_step, rows);
    }
    for (; i + LANES <= n; i += LANES, at += LANES)
        for (size_t c = 0; c < count; c++)
            tile(1, 1, half, y + i + c * y_step, 0, a + c * a_step, 0, x, at, x_step, rows);
    return i;
}

/* A weighted sum of a set, of numbers stored as `type`; the columns that fill no register go to the
 * version `rest`. */
#define WEIGHTED_SUM(isa, name, rest, half, type)                                          \
    isa void name(float *y, size_t y_step, const float *a, size_t a_step, size_t count,    \
                  const type *x, size_t x_step, size_t rows, size_t n) {                   \
        size_t done = sum_strips(half, y, y_step, a, a_step, count, x, x_step, rows, n);   \
        rest(y + done, y_step, a, a_step, count, x + done / STRIP * x_step + done % STRIP, \
             x_step, rows, n - done);                                                      \
    }

#endif
