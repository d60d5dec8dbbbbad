/* strip_rows_template.h - a step of rows that lie in strips, for the siblings of recurrence.c.  They define before
 * they include it
 *
 *     LANES     numbers in a register
 *     SIDE      strips that are walked side by side: each number of a key serves all of them, and enough sums
 *               are under way to hide the latency of a multiply-add
 *     INLINE    how a function begins that is inlined there
 *     Vector, vector_zero(), vector_all(x), vector_load(p), vector_store(p, v), vector_mul(a, b), vector_fma(a, b, c)
 *
 *     registers          strip 0        strip 1        strip 2        strip 3
 *         in, in2        lanes = rows   ...            ...            ...        loaded once
 *         number i       x decay[i] + in b[i], stored; its product with c[i] goes to the strip's sum */
#ifndef STRATA_STRIP_ROWS_TEMPLATE_H
#define STRATA_STRIP_ROWS_TEMPLATE_H

#include "../kernels/kernel_types.h"
#include "unroll.h"

/* `count` registers of rows from row r on, register k with LANES of them.  All that the loop reads stands in variables
 * of its own: a store of a register might change anything that is reached by a pointer. */
INLINE void step_registers(const int count, const bool both, const StripRecurrence *t,
                           size_t r) {
    enum { MOST = SIDE * (STRIP / LANES) };
    const float *before[MOST], *decays = t->decay, *b = t->b, *b2 = both ? t->b2 : b, *c = t->c;
    float *after[MOST], *out = t->out + r;
    Vector in[MOST], in2[MOST], sum[MOST];
    const size_t n = t->n;
    UNROLL for (int k = 0; k < count; k++) {
        size_t row = r + (size_t)(k * LANES), at = row / STRIP * STRIP * n + row % STRIP;
        before[k] = t->before + at, after[k] = t->after + at;
        in[k] = vector_load(t->in + row), sum[k] = vector_zero();
        if (both) in2[k] = vector_load(t->in2 + row);
    }
    for (size_t i = 0; i < n; i++) {
        Vector decay = vector_all(decays[i]), key = vector_all(b[i]), asked = vector_all(c[i]),
               second = both ? vector_all(b2[i]) : key;
        UNROLL for (int k = 0; k < count; k++) {
            Vector state = vector_mul(decay, vector_load(before[k] + STRIP * i));
            state = vector_fma(in[k], key, state);
            if (both) state = vector_fma(in2[k], second, state);
            vector_store(after[k] + STRIP * i, state);
            sum[k] = vector_fma(state, asked, sum[k]);
        }
    }
    UNROLL for (int k = 0; k < count; k++) vector_store(out + k * LANES, sum[k]);
}

/* All rows that fill registers; returns how many. */
INLINE size_t step_strips(const bool both, const StripRecurrence *t) {
    enum { WIDE = SIDE * STRIP, MOST = WIDE / LANES };
    size_t r = 0;
    for (; r + WIDE <= t->rows; r += WIDE) step_registers(MOST, both, t, r);
    for (; r + STRIP <= t->rows; r += STRIP) step_registers(STRIP / LANES, both, t, r);
    return r;
}

/* The rows from r on, a border of strips. */
static inline StripRecurrence rows_after(const StripRecurrence *t, size_t r) {
    StripRecurrence left = *t;
    left.after += r * t->n, left.before += r * t->n, left.in += r, left.out += r;
    if (left.in2) left.in2 += r;
    left.rows -= r;
    return left;
}

/* The kernel of a set; the rows of a strip that is not full are taken one by one. */
#define RECURRENCE_STRIPS(attribute, isa)                                         \
    attribute void recurrence_strips_##isa(const StripRecurrence *t) {            \
        StripRecurrence left =                                                    \
            rows_after(t, t->in2 ? step_strips(true, t) : step_strips(false, t)); \
        if (left.rows) recurrence_strips_scalar(&left);                           \
    }

#endif
