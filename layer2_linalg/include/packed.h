/* packed.h - quantized weights rearranged, for those who read them many times.
 *
 *     file      row 0: k0 k1 k2 ...              row 1: k0 k1 k2 ...
 *     packed    16 rows by 256 weights, as a panel wants them, piece after piece
 *
 * Invariant: products of packed weights are those of the weights in the file, to the bit. */
#ifndef STRATA_PACKED_H
#define STRATA_PACKED_H

#include "panel.h"

/* A piece, 16 rows by 256 weights, is
 *
 *     | scales (and mins) | 32 weights of 16 rows: four bits of each, one or two more bits of each | the next 32 | ...
 *
 * with signed levels as whole bytes.  About as large as in the file, where that has four bits or
 * more for a weight: fewer become four.  Reading such a piece takes a few shifts; reading it from
 * the file takes turning 16 rows as well. */
typedef struct PackedWeights {
    const QuantFormat *format;
    size_t rows, cols, piece_bytes; /* of 16 rows by 256 weights */
    unsigned char *data;            /* borrows: packed_bytes */
} PackedWeights;

size_t packed_bytes(Dtype dtype, size_t rows, size_t cols);
void packed_fill(Pool *pool, PackedWeights *packed, const Tensor *w, void *data);

/* y[r] = 16 rows from `row` on times one of the columns. */
void packed_product(const PackedWeights *packed, size_t row, const Columns *x, size_t column,
                    float y[PANEL_ROWS]);

/* The panel of piece `piece` of 16 rows from `row` on. */
void packed_panel(const PackedWeights *packed, size_t row, size_t piece, Panel *panel);

/* A piece of packed weights as a panel. */
typedef void PanelUnpack(const QuantFormat *format, const unsigned char *piece, Panel *panel);

/* y[r] = 16 rows times one of the columns, without a panel in between.  The pieces of the rows lie
 * one after the other. */
typedef void RowsProduct(const QuantFormat *format, const unsigned char *pieces,
                         const Columns *x, size_t column, float y[PANEL_ROWS]);

PanelUnpack panel_unpack_scalar;
RowsProduct rows_product_scalar;
#if defined(__x86_64__)
PanelUnpack panel_unpack_avx2, panel_unpack_avx512;
RowsProduct rows_product_avx2, rows_product_vnni;
#elif defined(__aarch64__)
PanelUnpack panel_unpack_neon;
RowsProduct rows_product_dotprod;
#endif

#endif
