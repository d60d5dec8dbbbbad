/* unpack.h - how a piece of packed weights lies in memory.
 *
 *     bits    of a level                           for
 *     4       byte: quad i low, quad 4 + i high    levels up to 15, and indices of sixteen entries
 *     5       and a bit of each of 8 quads         levels up to 31
 *     6       and two bits of each of 4 quads      levels up to 63
 *     8                                            signed levels
 */
#ifndef STRATA_UNPACK_H
#define STRATA_UNPACK_H

#include "ask.h"
#include "packed.h"

typedef struct PieceLayout {
    int bits;
    size_t groups, min, low, high, bytes; /* scales lie at 0 */
} PieceLayout;

static inline PieceLayout piece_layout(const QuantFormat *f) {
    PieceLayout at;
    at.bits = f->entries ? 4 : f->span == 0 ? 8 : f->span < 16 ? 4 : f->span < 32 ? 5 : 6;
    at.groups = (size_t)(LEVELS_CHUNK / f->group);
    at.min = f->scales == SCALE_TIMES ? 64 + 16 * at.groups : 32 * at.groups;
    at.low = f->min ? 2 * at.min : at.min;
    at.high = at.low + (at.bits == 8 ? 4096 : 2048);
    at.bytes = at.high + (at.bits == 5 ? 512 : at.bits == 6 ? 1024 : 0);
    return at;
}

/* Pieces are read once and in order: asking for what lies some way ahead, a line for each line read, hides the way to
 * main memory. */
enum { AHEAD = 2048 };
static inline void ask_ahead(const unsigned char *from, size_t bytes) {
    ask_for(from + AHEAD, bytes);
}

#endif
