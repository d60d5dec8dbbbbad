/* dot_template.h - tiles of dot products, for registers of any width.  A sibling of dot.c
 * defines, and then includes it:
 *
 *   INLINE                        prefix of functions to inline
 *   ROWS, COLS                    the largest tile whose sums fit in the registers
 *   Sums, Numbers                 a register of sums; a register of STEP weights or inputs
 *   tail_apart(C, dtype)          true: only the tail is loaded under a mask; false: everything
 *   zero_sums()
 *   load_weights(dtype, row, n)   STEP numbers of a row; if n < STEP, then n and zeros
 *   load_inputs(x, n)             the same of an input
 *   multiply_add(w, x, sum)
 *   store_sums(R, sum, y)         y[r] = the sum of the lanes of sum[r]
 *
 * A tile has R rows and C inputs, and one register of sums for each output, so a result does
 * not depend on the size of the tile.  R, C and dtype are constants at each call, so the
 * compiler makes a loop for each tile. */
#ifndef STRATA_DOT_TEMPLATE_H
#define STRATA_DOT_TEMPLATE_H

#include "../kernels/kernel_types.h"
#include "size.h"
#include "prefetch.h"
#include "unroll.h"

#include <string.h>

/* sum += numbers k .. k+n-1 of R rows times those of C inputs. */
INLINE void dot_step(int R, int C, Dtype dtype, DotTask t, size_t k, size_t n,
                     Sums sum[COLS][ROWS]) {
    const size_t size = dtype == DTYPE_F32 ? 4 : 2;
    Numbers in[COLS];
    UNROLL for (int c = 0; c < C; c++) {
        in[c] = load_inputs(t.x + (size_t)c * t.x_stride + k, n);
    }
    UNROLL for (int r = 0; r < R; r++) {
        const char *row = (const char *)t.w + (size_t)r * t.w_stride + k * size;
        /* with registers of 16 bytes each line would be prefetched four times */
        if (C == 1 && sizeof(Sums) > 16) prefetch(row + (size_t)R * t.w_stride, 1);
        Numbers weights = load_weights(dtype, row, n);
        UNROLL for (int c = 0; c < C; c++) {
            sum[c][r] = multiply_add(weights, in[c], sum[c][r]);
        }
    }
}

INLINE void dot_tile(int R, int C, Dtype dtype, DotTask t) {
    Sums sum[COLS][ROWS];
    size_t k = 0;
    UNROLL for (int c = 0; c < C; c++) {
        UNROLL for (int r = 0; r < R; r++) sum[c][r] = zero_sums();
    }
    if (tail_apart(C, dtype))
        for (; k + STEP <= t.n; k += STEP) dot_step(R, C, dtype, t, k, STEP, sum);
    for (; k < t.n; k += STEP) dot_step(R, C, dtype, t, k, min_size(STEP, t.n - k), sum);
    UNROLL for (int c = 0; c < C; c++) store_sums(R, sum[c], t.y + (size_t)c * t.y_stride);
}

static inline DotTask after_cols(DotTask t, size_t cols) {
    t.x += cols * t.x_stride, t.y += cols * t.y_stride, t.cols -= cols;
    return t;
}

static inline DotTask after_rows(DotTask t, size_t rows) {
    t.w = (const char *)t.w + rows * t.w_stride, t.y += rows, t.rows -= rows;
    return t;
}

INLINE void dot_rows(int R, Dtype dtype, DotTask t) {
    for (; t.cols >= COLS; t = after_cols(t, COLS)) dot_tile(R, COLS, dtype, t);
    for (; t.cols >= 2; t = after_cols(t, 2)) dot_tile(R, 2, dtype, t);
    for (; t.cols; t = after_cols(t, 1)) dot_tile(R, 1, dtype, t);
}

INLINE void dot_task(Dtype dtype, DotTask t) {
    for (; t.rows >= ROWS; t = after_rows(t, ROWS)) dot_rows(ROWS, dtype, t);
    for (; t.rows; t = after_rows(t, 1)) dot_rows(1, dtype, t);
}

#define DOT_TILE(isa, name, dtype) \
    isa void name(const DotTask *t) { dot_task(dtype, *t); }

#endif
