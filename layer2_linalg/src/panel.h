/* panel.h - products of quantized weights, in whole numbers.
 *
 *     weight = scale * quant + min            32 (or 16) weights share a scale and a min
 *     x      = d * q                          32 inputs share d; q is -127 .. 127
 *
 *     sum_k w[k] x[k]  =  sum over blocks of  scale d (sum quant q)  +  min d (sum q)
 *                                                      whole numbers         known beforehand
 *
 * The sums of a block are exact, so it does not matter in which order they are taken; and the
 * blocks are added up one after the other, each by one fused multiply-add.
 *
 * Invariant: every version of every kernel gives the same bits: scalar, SIMD, one input or many.
 *
 * What is lost is the rounding of the inputs: half of d, which is 1/254 of the largest of 32
 * numbers. */
#ifndef STRATA_PANEL_H
#define STRATA_PANEL_H

#include "packed.h"
#include "quantized.h"

enum {
    PANEL_ROWS = 16,              /* rows that are multiplied side by side */
    PANEL_QUADS = PANEL_COLS / 4, /* of a row's quants: what a 32-bit lane holds */
};

/* Sixteen rows by 256 columns, interleaved so that one 32-bit lane holds four quants of one row:
 *
 *     q[0]    row0 k0..3 | row1 k0..3 | ... | row15 k0..3
 *     q[1]    row0 k4..7 | ...
 *
 * Multiplying a lane's four bytes with k0..3 of an input adds to the sum of that lane's row: sixteen
 * sums at once, and no sum ever runs across lanes.
 *
 *   q   (PANEL_QUADS)   `own`, or where packed weights already lie so */
typedef int8_t PanelQuad[PANEL_ROWS][4];
typedef struct Panel {
    const PanelQuad *q;
    PanelQuad own[PANEL_QUADS];
    float scale[PANEL_GROUPS][PANEL_ROWS], min[PANEL_GROUPS][PANEL_ROWS];
} Panel;

/* n inputs of k numbers (a multiple of 32), quantized to bytes, 256 numbers at a time: first those of
 * every input, then the next of every input. */
typedef struct Inputs {
    size_t n, k;
    int8_t *q;    /* (k / 256, n, 256) */
    float *d;     /* (k / 256, n, 8)    of 32 each */
    int16_t *sum; /* (k / 256, n, 16)   of 16 q each */
} Inputs;

/* The bytes that they take, and where they lie in them (borrows). */
size_t inputs_bytes(size_t n, size_t k);
Inputs inputs_view(void *memory, size_t n, size_t k);

/* Quantize one input into its place.  An input with a number that is not finite becomes NaN. */
void quantize_input(const Inputs *inputs, size_t index, const float *x);

/* What a product with panels reads of `count` inputs: n numbers of each, at most 256. */
typedef struct InputTile {
    size_t count, n;
    const int8_t *q;    /* (count, 256) */
    const float *d;     /* (count, 8) */
    const int16_t *sum; /* (count, 16) */
} InputTile;

/* The numbers from k (a multiple of 32) on, to the end of their 256, of inputs from `first` on. */
static inline InputTile input_tile(const Inputs *x, size_t first, size_t count, size_t k) {
    size_t at = (k / PANEL_COLS * x->n + first) * PANEL_COLS + k % PANEL_COLS,
           left = PANEL_COLS - k % PANEL_COLS;
    return (InputTile){.count = count,
                       .n = x->k - k < left ? x->k - k : left,
                       .q = x->q + at,
                       .d = x->d + at / 32,
                       .sum = x->sum + at / 16};
}

/* A tile without its first inputs. */
static inline InputTile input_tile_after(InputTile x, size_t inputs) {
    return (InputTile){.count = x.count - inputs,
                       .n = x.n,
                       .q = x.q + inputs * PANEL_COLS,
                       .d = x.d + inputs * (PANEL_COLS / 32),
                       .sum = x.sum + inputs * (PANEL_COLS / 16)};
}

/* The panel of 16 rows of n weights; rows lie `stride` bytes apart, and when there are fewer than
 * 16 the last one is repeated. */
void panel_read(Panel *panel, const QuantFormat *format, const void *w, size_t stride,
                size_t rows, size_t n);

/* The same from packed weights: the 16 rows from `row` on, columns 256 * index .. */
void packed_panel(const PackedWeights *packed, size_t row, size_t index, Panel *panel);

/* y[s][r] = strips of 16 rows of packed weights, from `row` on, times one of the inputs. */
void packed_product(const PackedWeights *packed, size_t row, size_t strips, const Inputs *x,
                    size_t index, float (*y)[PANEL_ROWS]);

#endif
