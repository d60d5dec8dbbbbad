/* packed_matvec_template.h - packed weights times one input: what decoding does, token after token.  A sibling defines
 * before it includes it
 *
 *     INLINE                     how a function begins that is inlined there
 *     Sums, SUMS                 a register of sums, and how many of them sixteen rows take
 *     zero_sums(), store_sums(y, sums)
 *     SIGNED_OFFSET              what is added to signed quants
 *     Codebook                   a register that holds sixteen quants
 *     load_layout_codebook(layout, f)
 *     input_terms(x, offset, group, terms)
 *     add_block(layout, tile, block, codebook, x, terms, acc)     acc += a block of 32 weights of 16 rows, of a tile's eight */
#ifndef STRATA_PACKED_MATVEC_TEMPLATE_H
#define STRATA_PACKED_MATVEC_TEMPLATE_H

#include "packed_dispatch.h"
#include "unroll.h"

/* The layout is a constant wherever this is called. */
INLINE void multiply(PackedLayout p, const QuantFormat *f, const unsigned char *tile,
                     const Inputs *x, size_t index, float *y) {
    const TileLayout at = tile_layout(p);
    const int offset = f->offset + (p.max == 0 ? SIGNED_OFFSET : 0);
    const Codebook codebook = load_layout_codebook(p, f);
    Sums acc[SUMS];
    InputTerms terms;
    UNROLL for (int i = 0; i < SUMS; i++) acc[i] = zero_sums();
    for (size_t k = 0; k < x->k; k += PANEL_COLS, tile += at.bytes) {
        const InputTile in = input_tile(x, index, 1, k);
        prefetch_ahead(tile, at.blocks);
        input_terms(in, offset, p.group, &terms);
        for (size_t block = 0; block < in.n / 32; block++)
            add_block(p, tile, block, codebook, in, &terms, acc);
    }
    UNROLL for (int i = 0; i < SUMS; i++) store_sums(y + PANEL_ROWS / SUMS * i, acc[i]);
}

#define MULTIPLY(...)                                                 \
    case LAYOUT_NUMBER(__VA_ARGS__):                                  \
        multiply((PackedLayout){__VA_ARGS__}, f, tiles, x, index, y); \
        break;

/* The kernel of a set. */
#define ROWS_PRODUCT(isa, name)                                                           \
    isa void name(const QuantFormat *f, const unsigned char *tiles, const Inputs *x,      \
                  size_t index, float *y) {                                               \
        switch (layout_number(packed_layout(f))) {                                        \
            PACKED_LAYOUTS(MULTIPLY)                                                      \
        default: REQUIRE(false, "weights in a layout that PACKED_LAYOUTS does not name"); \
        }                                                                                 \
    }

#endif
