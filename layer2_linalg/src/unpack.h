/* unpack.h - how a piece of packed weights lies in memory, and how it becomes a panel: plain C, compiled once for each
 * instruction set.
 *
 *     bits    of a level                           for
 *     4       byte: quad i low, quad 4 + i high    levels up to 15, and indices of sixteen entries
 *     5       and a bit of each of 8 quads         levels up to 31
 *     6       and two bits of each of 4 quads      levels up to 63
 *     8                                            signed levels
 */
#ifndef STRATA_UNPACK_H
#define STRATA_UNPACK_H

#include "packed.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct PieceLayout {
    int bits;
    size_t groups, min, low, high, bytes; /* scales lie at 0 */
} PieceLayout;

ALWAYS_INLINE PieceLayout piece_layout(const QuantFormat *f) {
    PieceLayout at;
    at.bits = f->entries ? 4 : f->span == 0 ? 8 : f->span < 16 ? 4 : f->span < 32 ? 5 : 6;
    at.groups = (size_t)(LEVELS_CHUNK / f->group);
    at.min = f->scales == SCALE_TIMES ? 64 + 16 * at.groups : 32 * at.groups;
    at.low = f->min ? 2 * at.min : at.min;
    at.high = at.low + (at.bits == 8 ? 4096 : 2048);
    at.bytes = at.high + (at.bits == 5 ? 512 : at.bits == 6 ? 1024 : 0);
    return at;
}

/* A group's sixteen scales at a time. */
ALWAYS_INLINE void unpack_numbers(const QuantFormat *f, const unsigned char *from,
                                  size_t groups, float (*widen)(uint16_t),
                                  float (*out)[PANEL_ROWS]) {
    for (size_t g = 0; g < groups; g++)
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            if (f->scales == SCALE_TIMES) {
                out[g][r] = ((const float *)(const void *)from)[r] *
                            (float)((const int8_t *)from)[64 + PANEL_ROWS * g + r];
            } else {
                uint16_t half = ((const uint16_t *)(const void *)from)[PANEL_ROWS * g + r];
                out[g][r] = f->scales == SCALE_F16 ? widen(half) : bf16_to_f32(half);
            }
        }
}

ALWAYS_INLINE void unpack_scales(const QuantFormat *f, const unsigned char *piece,
                                 const PieceLayout *at, float (*widen)(uint16_t),
                                 Panel *panel) {
    unpack_numbers(f, piece, at->groups, widen, panel->scale);
    if (f->min) unpack_numbers(f, piece + at->min, at->groups, widen, panel->min);
}

ALWAYS_INLINE void unpack_levels(const PieceLayout *at, const unsigned char *restrict piece,
                                 Panel *restrict panel) {
    const unsigned char *low = piece + at->low, *high = piece + at->high;
    uint8_t *q = (uint8_t *)panel->own;
    panel->q = (const int8_t(*)[PANEL_ROWS][4])(at->bits == 8 ? low : q);
    if (at->bits == 8) return;
    for (size_t group = 0; group < 8; group++, q += 512, low += 256) {
        for (size_t b = 0; b < 256; b++) q[b] = low[b] & 15;
        for (size_t b = 0; b < 256; b++) q[256 + b] = (uint8_t)(low[b] >> 4);
        if (at->bits == 5)
            for (size_t i = 0; i < 8; i++)
                for (size_t b = 0; b < 64; b++)
                    q[64 * i + b] |= (uint8_t)((high[64 * group + b] >> i & 1) << 4);
        if (at->bits == 6)
            for (size_t i = 0; i < 8; i++)
                for (size_t b = 0; b < 64; b++)
                    q[64 * i + b] |=
                        (uint8_t)((high[128 * group + 64 * (i / 4) + b] >> (2 * (i % 4)) & 3)
                                  << 4);
    }
}

#endif
