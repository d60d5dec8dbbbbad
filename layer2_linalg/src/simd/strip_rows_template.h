/* strip_rows_template.h - recurrence_strips.  A sibling of recurrence.c defines, and then
 * includes it:
 *
 *     INLINE    prefix of functions to inline
 *     LANES     numbers in a register
 *     SIDE      strips walked side by side: each number of a key serves all of them, and there
 *               are enough sums to hide the latency of a multiply-add
 *     Vector, vector_zero(), vector_all(x), vector_load(p), vector_store(p, v),
 *     vector_mul(a, b), vector_fma(a, b, c)
 *
 *     registers          strip 0        strip 1        strip 2        strip 3
 *         in, in2        lanes = rows   ...            ...            ...        loaded once
 *         number i       x decay[i] + in b[i], stored; its product with c[i] is summed */
#ifndef STRATA_STRIP_ROWS_TEMPLATE_H
#define STRATA_STRIP_ROWS_TEMPLATE_H

#include "../kernels/kernel_types.h"
#include "hints.h"

/* Rows r .. r + count * LANES - 1.  The loop reads local variables only: a store might change
 * anything that is read through a pointer. */
INLINE void step_registers(const int count, const bool both, const StripRecurrence *t,
                           size_t r) {
    enum { MAX = SIDE * (STRIP / LANES) };
    const float *before[MAX], *decays = t->decay, *b = t->b, *b2 = both ? t->b2 : b, *c = t->c;
    float *after[MAX], *out = t->out + r;
    Vector in[MAX], in2[MAX], sum[MAX];
    const size_t n = t->n;
    UNROLL for (int k = 0; k < count; k++) {
        size_t row = r + (size_t)(k * LANES), at = row / STRIP * STRIP * n + row % STRIP;
        before[k] = t->before + at, after[k] = t->after + at;
        in[k] = vector_load(t->in + row), sum[k] = vector_zero();
        if (both) in2[k] = vector_load(t->in2 + row);
    }
    for (size_t i = 0; i < n; i++) {
        Vector decay = vector_all(decays[i]), key = vector_all(b[i]), query = vector_all(c[i]),
               second = both ? vector_all(b2[i]) : key;
        UNROLL for (int k = 0; k < count; k++) {
            Vector state = vector_mul(decay, vector_load(before[k] + STRIP * i));
            state = vector_fma(in[k], key, state);
            if (both) state = vector_fma(in2[k], second, state);
            vector_store(after[k] + STRIP * i, state);
            sum[k] = vector_fma(state, query, sum[k]);
        }
    }
    UNROLL for (int k = 0; k < count; k++) vector_store(out + k * LANES, sum[k]);
}

/* All whole strips; returns their rows. */
INLINE size_t step_strips(const bool both, const StripRecurrence *t) {
    enum { WIDE = SIDE * STRIP };
    size_t r = 0;
    for (; r + WIDE <= t->rows; r += WIDE) step_registers(WIDE / LANES, both, t, r);
    for (; r + STRIP <= t->rows; r += STRIP) step_registers(STRIP / LANES, both, t, r);
    return r;
}

/* The rows from r on, a multiple of STRIP. */
static inline StripRecurrence rows_after(const StripRecurrence *t, size_t r) {
    StripRecurrence left = *t;
    left.after += r * t->n, left.before += r * t->n, left.in += r, left.out += r;
    if (left.in2) left.in2 += r;
    left.rows -= r;
    return left;
}

/* A strip that is not full is left to the scalar version. */
#define RECURRENCE_STRIPS(attribute, isa)                                         \
    attribute void recurrence_strips_##isa(const StripRecurrence *t) {            \
        StripRecurrence left =                                                    \
            rows_after(t, t->in2 ? step_strips(true, t) : step_strips(false, t)); \
        if (left.rows) recurrence_strips_scalar(&left);                           \
    }

#endif
