/* unpack_panel.h - a piece of packed weights as a panel.  For the siblings of packed.c, which
 * define before they include it
 *
 *     INLINE          how a function begins that is inlined there
 *     unpack_block    the levels of 32 weights; their bits, and whether there are entries, are constants there
 *     unpack_scales   the scales of a piece, or its mins */
#ifndef STRATA_UNPACK_PANEL_H
#define STRATA_UNPACK_PANEL_H

#include "unpack.h"

INLINE void unpack_all(int bits, const unsigned char *block, const int8_t *entries, int8_t *q) {
    for (size_t i = 0; i < 8; i++, block += block_bytes(bits), q += 512) {
        ask_ahead(block, block_bytes(bits));
        unpack_block(bits, block, entries, q);
    }
}

INLINE void unpack_panel(const QuantFormat *f, const unsigned char *piece, Panel *panel) {
    PieceLayout at = piece_layout(f);
    const unsigned char *blocks = piece + at.blocks;
    int8_t *q = panel->own[0][0];
    panel->q = (const int8_t(*)[PANEL_ROWS][4])(at.bits == 8 ? (const int8_t *)blocks : q);
    ask_ahead(piece, at.blocks);
    unpack_scales(f->scales, piece, at.groups, panel->scale);
    if (f->min) unpack_scales(f->scales, piece + at.min, at.groups, panel->min);
    if (f->entries)
        unpack_all(4, blocks, f->entries, q);
    else if (at.bits == 4)
        unpack_all(4, blocks, NULL, q);
    else if (at.bits == 5)
        unpack_all(5, blocks, NULL, q);
    else if (at.bits == 6)
        unpack_all(6, blocks, NULL, q);
    else
        ask_ahead(blocks, sizeof panel->own);
}

#endif
