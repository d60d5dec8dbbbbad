/* panel.h - products of quantized weights, in whole numbers.
 *
 *     weight = scale * level + min            32 (or 16) weights share a scale and a min
 *     x      = d * q                          32 inputs share d; q is -127 .. 127
 *
 *     sum_k w[k] x[k]  =  sum over blocks of  scale d (sum level q)  +  min d (sum q)
 *                                                      whole numbers         known beforehand
 *
 * The sums of a block are exact, so it does not matter in which order they are taken; and the
 * blocks are added up one after the other, each by one fused multiply-add.
 *
 * Invariant: every version of every kernel gives the same bits: scalar, SIMD, one column or many.
 *
 * What is lost is the rounding of the inputs: half of d, which is 1/254 of the largest of 32
 * numbers. */
#ifndef STRATA_PANEL_H
#define STRATA_PANEL_H

#include "packed.h"
#include "quantized.h"

enum {
    PANEL_ROWS = 16,                /* rows that are multiplied side by side */
    PANEL_QUADS = LEVELS_CHUNK / 4, /* of a row's levels: what a 32-bit lane holds */
};

/* Sixteen rows, turned so that one 32-bit lane holds four levels of one row:
 *
 *     q[0]    row0 k0..3 | row1 k0..3 | ... | row15 k0..3
 *     q[1]    row0 k4..7 | ...
 *
 * Multiplying a lane's four bytes with k0..3 of an input adds to the sum of that lane's row: sixteen
 * sums at once, and no sum ever runs across lanes. */
typedef struct Panel {
    const int8_t (
        *q)[PANEL_ROWS][4]; /* (PANEL_QUADS): own, or where packed weights already lie so */
    int8_t own[PANEL_QUADS][PANEL_ROWS][4];
    float scale[LEVELS_GROUPS][PANEL_ROWS], min[LEVELS_GROUPS][PANEL_ROWS];
} Panel;

/* n columns of k numbers (a multiple of 32) rounded to bytes, in pieces of 256: first that of every
 * column, then the next. */
typedef struct Columns {
    size_t n, k;
    int8_t *q;    /* (pieces, n, 256) */
    float *d;     /* (pieces, n, 8)    of 32 each */
    int16_t *sum; /* (pieces, n, 16)   of 16 q each */
} Columns;

/* The bytes that they take, and one column into its place among them.  A column with a
 * number that is not finite becomes NaN there. */
size_t columns_bytes(size_t n, size_t k);
Columns columns_in(void *memory, size_t n, size_t k);
void columns_round(const Columns *columns, size_t column, const float *x);

/* Where the numbers of a column from k (a multiple of 32) on lie: q[at], d[at / 32], sum[at / 16],
 * to the end of their piece. */
static inline size_t columns_at(const Columns *columns, size_t column, size_t k) {
    return (k / LEVELS_CHUNK * columns->n + column) * LEVELS_CHUNK + k % LEVELS_CHUNK;
}

/* The panel of 16 rows of n weights; rows lie `stride` bytes apart, and when there are fewer than
 * 16 the last one is repeated. */
void panel_read(Panel *panel, const QuantFormat *format, const void *w, size_t stride,
                size_t rows, size_t n);

/* y[r] = 16 rows of packed weights from `row` on times one of the columns. */
void packed_product(const PackedWeights *packed, size_t row, const Columns *x, size_t column,
                    float y[PANEL_ROWS]);

/* The panel of piece `piece` of 16 rows from `row` on. */
void packed_panel(const PackedWeights *packed, size_t row, size_t piece, Panel *panel);

#endif
