/* packed_matvec_template.h - packed weights times one input, as decoding does for each token.
 * A sibling defines, and then includes it:
 *
 *     INLINE                     prefix of functions to inline
 *     Sums, SUMS                 a register of sums; registers for 16 rows
 *     zero_sums(), store_sums(y, sums)
 *     STRIPS                     strips of 16 rows read side by side
 *     SIGNED_OFFSET              added to signed quants
 *     Codebook                   a register of 16 quants
 *     load_layout_codebook(layout, f)
 *     input_terms(x, offset, group, terms)
 *     add_block(layout, tile, block, codebook, x, terms, acc)
 *                                acc += a block of 32 weights of 16 rows, of a tile's eight */
#ifndef STRATA_PACKED_MATVEC_TEMPLATE_H
#define STRATA_PACKED_MATVEC_TEMPLATE_H

#include "packed_dispatch.h"

INLINE void store_strip(const Sums acc[SUMS], float y[PANEL_ROWS]) {
    UNROLL for (int i = 0; i < SUMS; i++) store_sums(y + PANEL_ROWS / SUMS * i, acc[i]);
}

/* Up to STRIPS strips of 16 rows; missing ones are replaced by the last. */
INLINE void multiply_strips(PackedLayout p, const QuantFormat *f, const unsigned char *tiles,
                            size_t strips, const Inputs *x, size_t index,
                            float (*y)[PANEL_ROWS]) {
    const TileLayout at = tile_layout(p);
    const int offset = f->offset + (p.max == 0 ? SIGNED_OFFSET : 0);
    const Codebook codebook = load_layout_codebook(p, f);
    const unsigned char *tile[STRIPS];
    Sums acc[STRIPS][SUMS];
    InputTerms terms;
    UNROLL for (size_t s = 0; s < STRIPS; s++) {
        tile[s] = tiles + (s < strips ? s : strips - 1) * strip_bytes(x->k, at);
        UNROLL for (int i = 0; i < SUMS; i++) acc[s][i] = zero_sums();
    }
    for (size_t k = 0; k < x->k; k += PANEL_COLS) {
        const InputTile in = input_tile(x, index, 1, k);
        input_terms(in, offset, p.group, &terms);
        UNROLL for (size_t s = 0; s < STRIPS; s++) prefetch_ahead(tile[s], at.blocks);
        for (size_t block = 0; block < in.n / 32; block++)
            UNROLL for (size_t s = 0; s < STRIPS; s++) {
                add_block(p, tile[s], block, codebook, in, &terms, acc[s]);
            }
        UNROLL for (size_t s = 0; s < STRIPS; s++) tile[s] += at.bytes;
    }
    UNROLL for (size_t s = 0; s < STRIPS; s++) {
        if (s < strips) store_strip(acc[s], y[s]);
    }
}

/* The layout is a constant at each call. */
INLINE void multiply(PackedLayout p, const QuantFormat *f, const unsigned char *tiles,
                     size_t strips, const Inputs *x, size_t index, float (*y)[PANEL_ROWS]) {
    const size_t step = strip_bytes(x->k, tile_layout(p));
    for (size_t s = 0; s < strips; s += STRIPS)
        multiply_strips(p, f, tiles + s * step, strips - s, x, index, y + s);
}

#define MULTIPLY(...)                                                         \
    case LAYOUT_NUMBER(__VA_ARGS__):                                          \
        multiply((PackedLayout){__VA_ARGS__}, f, tiles, strips, x, index, y); \
        break;

#define ROWS_PRODUCT(isa, name)                                                          \
    isa void name(const QuantFormat *f, const unsigned char *tiles, size_t strips,       \
                  const Inputs *x, size_t index, float(*y)[PANEL_ROWS]) {                \
        switch (layout_number(packed_layout(f))) {                                       \
            PACKED_LAYOUTS(MULTIPLY)                                                     \
        default: REQUIRE(false, "a layout of packed weights missing in PACKED_LAYOUTS"); \
        }                                                                                \
    }

#endif
