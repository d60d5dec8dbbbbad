/* unpack_template.h - unpack a tile of packed weights to a panel.  A sibling of packed.c
 * defines, and then includes it:
 *
 *     INLINE          prefix of functions to inline
 *     unpack_block    32 quants; bits, and whether there is a codebook, are constants
 *     unpack_scales   the scales of a tile, or its mins */
#ifndef STRATA_UNPACK_TEMPLATE_H
#define STRATA_UNPACK_TEMPLATE_H

#include "packed_layout.h"

INLINE void unpack_all(int bits, const unsigned char *block, const int8_t *codebook,
                       int8_t *q) {
    for (size_t i = 0; i < 8; i++, block += block_bytes(bits), q += 512) {
        prefetch_ahead(block, block_bytes(bits));
        unpack_block(bits, block, codebook, q);
    }
}

INLINE void unpack_panel(const QuantFormat *f, const unsigned char *tile, Panel *panel) {
    TileLayout at = tile_layout(packed_layout(f));
    const unsigned char *blocks = tile + at.blocks;
    int8_t *q = panel->own[0][0];
    panel->q = (const PanelQuad *)(at.bits == 8 ? (const int8_t *)blocks : q);
    prefetch_ahead(tile, at.blocks);
    unpack_scales(f->scales, tile, at.groups, panel->scale);
    if (f->min) unpack_scales(f->scales, tile + at.min, at.groups, panel->min);
    if (f->codebook)
        unpack_all(4, blocks, f->codebook, q);
    else if (at.bits == 4)
        unpack_all(4, blocks, NULL, q);
    else if (at.bits == 5)
        unpack_all(5, blocks, NULL, q);
    else if (at.bits == 6)
        unpack_all(6, blocks, NULL, q);
    else
        prefetch_ahead(blocks, sizeof panel->own);
}

#endif
