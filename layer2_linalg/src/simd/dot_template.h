/* dot_template.h - tiles of dot products, for registers of any width.
 *
 *   one input       4 rows side by side: streams from main memory        dot_column
 *   a few inputs    tiles of R rows by C inputs                          dot_tile
 *   many            the same, from a panel of weights in the L1 cache    dot_panel_template.h
 *
 * All three sum in the same order, so a result does not depend on which one is used.  A sibling
 * of dot.c defines, and then includes it:
 *
 *   INLINE                        prefix of functions to inline
 *   ROWS, COLS                    the largest tile whose sums fit in the registers
 *   Sums, Numbers                 a register of sums; a register of STEP weights or inputs
 *   zero_sums()
 *   load_weights(dtype, row, n)   STEP numbers of a row; if n < STEP, then n and zeros
 *   load_inputs(x, n)             the same of an input
 *   multiply_add(w, x, sum)
 *   store_sums(R, sum, y)         y[r] = the sum of the lanes of sum[r]
 *   INPUT_AT, input_at(t, c, k, n)   where inputs may come rounded: numbers k .. of input c
 *
 * A tile has R rows and C inputs, and one register of sums for each output, so a result does
 * not depend on the size of the tile.  R, C and dtype are constants at each call, so the
 * compiler makes a loop for each tile. */
#ifndef STRATA_DOT_TEMPLATE_H
#define STRATA_DOT_TEMPLATE_H

#include "../kernels/kernel_types.h"
#include "size.h"
#include "hints.h"

INLINE size_t number_bytes(Dtype dtype) { return dtype == DTYPE_F32 ? 4 : 2; }

/* Number k of row r. */
INLINE const char *weight_at(Dtype dtype, DotTask t, size_t r, size_t k) {
    return (const char *)t.w + r * t.w_stride + k * number_bytes(dtype);
}

/* sum += numbers k .. k+n-1 of R rows times those of C inputs. */
INLINE void dot_step(int R, int C, Dtype dtype, DotTask t, size_t k, size_t n,
                     Sums sum[COLS][ROWS]) {
    Numbers in[COLS];
    UNROLL for (int c = 0; c < C; c++) {
        in[c] = load_inputs(t.x + (size_t)c * t.x_stride + k, n);
    }
    UNROLL for (int r = 0; r < R; r++) {
        Numbers weights = load_weights(dtype, weight_at(dtype, t, (size_t)r, k), n);
        UNROLL for (int c = 0; c < C; c++) {
            sum[c][r] = multiply_add(weights, in[c], sum[c][r]);
        }
    }
}

/* y[c * y_stride + r * y_step] = row r times input c, of R rows and C inputs. */
INLINE void dot_tile(int R, int C, Dtype dtype, DotTask t, size_t y_step) {
    Sums sum[COLS][ROWS];
    float y[ROWS];
    size_t k = 0;
    UNROLL for (int c = 0; c < C; c++) {
        UNROLL for (int r = 0; r < R; r++) sum[c][r] = zero_sums();
    }
    for (; k + STEP <= t.n; k += STEP) dot_step(R, C, dtype, t, k, STEP, sum);
    if (k < t.n) dot_step(R, C, dtype, t, k, t.n - k, sum);
    UNROLL for (int c = 0; c < C; c++) {
        store_sums(R, sum[c], y);
        UNROLL for (int r = 0; r < R; r++) t.y[(size_t)c * t.y_stride + (size_t)r * y_step] =
            y[r];
    }
}

static inline DotTask after_cols(DotTask t, size_t cols) {
    if (t.rounded) t.rounded += cols * t.x_stride;
    t.x += cols * t.x_stride, t.y += cols * t.y_stride, t.cols -= cols;
    return t;
}

static inline DotTask after_rows(DotTask t, size_t rows) {
    t.w = (const char *)t.w + rows * t.w_stride, t.y += rows, t.rows -= rows;
    return t;
}

/* One input: a line of each row at a time.  More streams hide more of main memory's latency,
 * but the hardware follows few of them well: with 12, F16 weights are read a tenth slower. */
enum { SIDE = 4, LINE = 32, MOST = ROWS > SIDE ? ROWS : SIDE };

/* sum += some steps of R rows, of n numbers each. */
INLINE void column_step(int R, int steps, Dtype dtype, DotTask t, size_t k, size_t n,
                        Sums sum[MOST]) {
    UNROLL for (int r = 0; r < R; r++) {
        UNROLL for (int i = 0; i < steps; i++) {
            const size_t at = k + (size_t)i * STEP;
            sum[r] = multiply_add(load_weights(dtype, weight_at(dtype, t, (size_t)r, at), n),
                                  load_inputs(t.x + at, n), sum[r]);
        }
    }
}

INLINE void dot_column(int R, Dtype dtype, DotTask t, size_t y_step) {
    const int fold = R < ROWS ? 1 : ROWS;
    Sums sum[MOST];
    float y[MOST];
    size_t k = 0;
    UNROLL for (int r = 0; r < R; r++) sum[r] = zero_sums();
    for (; k + LINE <= t.n; k += LINE) column_step(R, LINE / STEP, dtype, t, k, STEP, sum);
    for (; k + STEP <= t.n; k += STEP) column_step(R, 1, dtype, t, k, STEP, sum);
    if (k < t.n) column_step(R, 1, dtype, t, k, t.n - k, sum);
    UNROLL for (int r = 0; r < R; r += fold) store_sums(fold, sum + r, y + r);
    UNROLL for (int r = 0; r < R; r++) t.y[(size_t)r * y_step] = y[r];
}

INLINE void dot_rows(int R, Dtype dtype, DotTask t, size_t y_step) {
    if (R <= ROWS) {
        for (; t.cols >= COLS; t = after_cols(t, COLS)) dot_tile(R, COLS, dtype, t, y_step);
        for (; t.cols >= 2; t = after_cols(t, 2)) dot_tile(R, 2, dtype, t, y_step);
    }
    if (t.cols) dot_column(R, dtype, t, y_step);
}

/* All rows, as R streams side by side: row i of every stream, then row i + 1.  A stream is rows
 * one after the other, because the hardware prefetches best what goes on beyond a row. */
INLINE void dot_streams(int R, Dtype dtype, DotTask t) {
    const size_t each = t.rows / (size_t)R;
    DotTask rows = t;
    rows.w_stride *= each;
    for (size_t i = 0; i < each; i++) {
        rows.w = weight_at(dtype, t, i, 0), rows.y = t.y + i;
        dot_rows(R, dtype, rows, each);
    }
    for (t = after_rows(t, each * (size_t)R); t.rows; t = after_rows(t, 1))
        dot_rows(1, dtype, t, 1);
}

#include "dot_panel_template.h"

/* Some inputs at a time: they stay in the L2 cache while rows of weights stream by. */
INLINE void dot_task(Dtype dtype, DotTask t) {
    enum { INPUTS = 24 };
    const bool panels = t.cols >= DOT_PANEL_MIN;
    for (size_t some; t.cols; t = after_cols(t, some)) {
        DotTask part = t;
        part.cols = some = min_size(panels ? PANEL_INPUTS : INPUTS, t.cols);
        if (panels)
            for (; part.rows >= ROWS; part = after_rows(part, ROWS)) dot_panel(dtype, part);
        if (some == 1)
            dot_streams(SIDE, dtype, part);
        else
            dot_streams(ROWS, dtype, part);
    }
}

#define DOT_TILE(isa, name, dtype) \
    isa void name(const DotTask *t) { dot_task(dtype, *t); }

#endif
