/* unpack.h - how a piece of packed weights lies in memory.
 *
 *     bits    of a level                           for
 *     4       byte: quad i low, quad 4 + i high    levels up to 15, and places among sixteen entries
 *     5       and a bit of each of 8 quads         levels up to 31
 *     6       and two bits of each of 4 quads      levels up to 63
 *     8                                            signed levels
 *
 * A piece is read from front to back: first the scales (and mins) of all its blocks, then for each
 * block of 32 weights the bytes of its quads and, after them, the other bits. */
#ifndef STRATA_UNPACK_H
#define STRATA_UNPACK_H

#include "ask.h"
#include "../panel.h"

typedef struct PieceLayout {
    int bits;
    size_t groups, min, blocks; /* scales lie at 0 */
    size_t block, bytes;        /* of a block of 32 weights, and of all */
} PieceLayout;

/* How the weights of a format are stored. */
typedef struct Plan {
    int bits, group;
    ScaleKind scales;
    bool min, look_up;
    int most; /* no level is larger: 15, 31, 63, 127; 0: they are signed */
} Plan;

static inline Plan plan_of(const QuantFormat *f) {
    int most = f->span == 0   ? 0
               : f->span < 16 ? 15
               : f->span < 32 ? 31
               : f->span < 64 ? 63
                              : 127;
    int bits = f->entries ? 4 : most == 15 ? 4 : most == 31 ? 5 : most == 63 ? 6 : 8;
    return (Plan){bits, f->group, f->scales, f->min, f->entries != NULL, most};
}

/* 32 weights of 16 rows. */
static inline size_t block_bytes(int bits) { return (size_t)(bits * 64); }

static inline PieceLayout layout_of(Plan p) {
    PieceLayout at = {.bits = p.bits, .groups = (size_t)(LEVELS_CHUNK / p.group)};
    at.min = p.scales == SCALE_TIMES ? 64 + 16 * at.groups : 32 * at.groups;
    at.blocks = p.min ? 2 * at.min : at.min;
    at.block = block_bytes(p.bits);
    at.bytes = at.blocks + 8 * at.block;
    return at;
}

static inline PieceLayout piece_layout(const QuantFormat *f) { return layout_of(plan_of(f)); }

/* Pieces are read once and in order: asking for what lies some way ahead, a line for each line
 * read, hides the way to main memory. */
enum { AHEAD = 2048 };
INLINE_OF() void ask_ahead(const unsigned char *from, size_t bytes) {
    ask_for(from + AHEAD, bytes);
}

#endif
