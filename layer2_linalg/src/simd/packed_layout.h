/* packed_layout.h - the layout of a tile of packed weights, 16 rows by 256.
 *
 *   bits    stored as                            for
 *   4       byte: quad i low, quad 4 + i high    quants up to 15, indices into a codebook of 16
 *   5       ... and a bit of each of 8 quads     quants up to 31
 *   6       ... and two bits of each of 4 quads  quants up to 63
 *   8       a byte                               signed quants
 *
 * A tile is read from front to back: the scales (and mins) of all its blocks, then for each
 * block of 32 weights the bytes of its quads, followed by their other bits. */
#ifndef STRATA_PACKED_LAYOUT_H
#define STRATA_PACKED_LAYOUT_H

#include "../panel.h"
#include "hints.h"

/* How the weights of a format are stored. */
typedef struct PackedLayout {
    int bits, group;
    ScaleKind scales;
    bool min, codebook;
    int max; /* largest quant: 15, 31, 63 or 127; 0: signed */
} PackedLayout;

static inline PackedLayout packed_layout(const QuantFormat *f) {
    int max = f->span == 0   ? 0
              : f->span < 16 ? 15
              : f->span < 32 ? 31
              : f->span < 64 ? 63
                             : 127;
    int bits = f->codebook ? 4 : max == 15 ? 4 : max == 31 ? 5 : max == 63 ? 6 : 8;
    return (PackedLayout){bits, f->group, f->scales, f->min, f->codebook != NULL, max};
}

/* Offsets and sizes of a tile's parts, in bytes; the scales are at 0. */
typedef struct TileLayout {
    int bits;
    size_t groups;       /* scales of a row */
    size_t min, blocks;  /* offsets of mins and blocks */
    size_t block, bytes; /* sizes of a block and of the tile */
} TileLayout;

/* 32 weights of 16 rows. */
static inline size_t block_bytes(int bits) { return (size_t)(bits * 64); }

static inline TileLayout tile_layout(PackedLayout p) {
    TileLayout at = {.bits = p.bits, .groups = (size_t)(PANEL_COLS / p.group)};
    at.min = p.scales == SCALE_SUPERBLOCK ? 64 + 16 * at.groups : 32 * at.groups;
    at.blocks = p.min ? 2 * at.min : at.min;
    at.block = block_bytes(p.bits);
    at.bytes = at.blocks + 8 * at.block;
    return at;
}

/* Bytes of all tiles of 16 rows. */
static inline size_t strip_bytes(size_t cols, TileLayout at) {
    return div_up(cols, PANEL_COLS) * at.bytes;
}

/* Tiles are read once, in order: prefetching a line some way ahead for each line read hides the
 * latency of main memory. */
enum { AHEAD = 2048 };
INLINE_OF() void prefetch_ahead(const unsigned char *from, size_t bytes) {
    prefetch(from + AHEAD, bytes);
}

#endif
