/* panel.h - products of quantized weights as integer sums.
 *
 *     weight = scale * quant + min            32 (or 16) weights share a scale and a min
 *     x      = d * q                          32 inputs share d; q is -127 .. 127
 *
 *     sum_k w[k] x[k]  =  sum over blocks of  scale d (sum quant q)  +  min d (sum q)
 *                                                      integers              known beforehand
 *
 * The sums of a block are exact, so their order does not matter; blocks are added in order,
 * each by one fused multiply-add.
 *
 * Siblings: panel.c (read first), then for one input packed_matvec_avx2.c, for many
 * quantized_avx2.c and panel_avx2.c; all formats go through these.
 *
 * Invariant: every version of every kernel gives the same bits, for one input or many.
 * Error    the rounding of the inputs: up to d / 2, 1/254 of the largest of 32 numbers. */
#ifndef STRATA_PANEL_H
#define STRATA_PANEL_H

#include "packed.h"
#include "quantized.h"
#include "size.h"

enum {
    PANEL_ROWS = 16,              /* rows side by side */
    PANEL_QUADS = PANEL_COLS / 4, /* a quad: four quants of a row, in a 32-bit lane */
};

/* Sixteen rows by 256 columns, interleaved so that one 32-bit lane holds four quants of one
 * row:
 *
 *     q[0]    row0 k0..3 | row1 k0..3 | ... | row15 k0..3
 *     q[1]    row0 k4..7 | ...
 *
 * A lane's four bytes times k0..3 of an input add to the sum of that lane's row: sixteen sums
 * at once, none across lanes.
 *
 *   q   (PANEL_QUADS)   `own`, or packed weights that already have this order */
typedef int8_t PanelQuad[PANEL_ROWS][4];
typedef struct Panel {
    const PanelQuad *q;
    PanelQuad own[PANEL_QUADS];
    float scale[PANEL_GROUPS][PANEL_ROWS], min[PANEL_GROUPS][PANEL_ROWS];
} Panel;

/* n inputs of k numbers (a multiple of 32), quantized to bytes: the first 256 numbers of every
 * input, then the next 256 of every input, ... */
typedef struct Inputs {
    size_t n, k;
    int8_t *q;    /* (k / 256, n, 256) */
    float *d;     /* (k / 256, n, 8)    of 32 each */
    int16_t *sum; /* (k / 256, n, 16)   of 16 q each */
} Inputs;

/* Bytes for inputs, and the Inputs in such memory (borrowed). */
size_t inputs_bytes(size_t n, size_t k);
Inputs inputs_view(void *memory, size_t n, size_t k);

/* Quantize one input.  An input with a number that is not finite becomes NaN. */
void quantize_input(const Inputs *inputs, size_t index, const float *x);

/* Up to 256 numbers of `count` inputs, as a product with panels reads them. */
typedef struct InputTile {
    size_t count, n;
    const int8_t *q;    /* (count, 256) */
    const float *d;     /* (count, 8) */
    const int16_t *sum; /* (count, 16) */
} InputTile;

/* The tile of inputs `first` .. from number k (a multiple of 32) to the end of its 256. */
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

/* The panel of `rows` rows of n weights, `stride` bytes apart; missing rows repeat the last. */
void panel_read(Panel *panel, const QuantFormat *format, const void *w, size_t stride,
                size_t rows, size_t n);

/* The tile of packed weights with the 16 rows from `row` on, columns 256 * index .. */
static inline unsigned char *packed_tile_at(const PackedWeights *p, size_t row, size_t index) {
    return p->data + (row / PANEL_ROWS * div_up(p->cols, PANEL_COLS) + index) * p->tile_bytes;
}

#endif
