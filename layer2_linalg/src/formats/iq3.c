/* iq3.c - IQ3_XXS and IQ3_S: three bits a number.  Four numbers at a time are a point of a grid of eight magnitudes.
 *
 *     IQ3_XXS   d (f16); 64 bytes: points; for each 32 numbers | 28 bits of signs, 4 of scale |     98 bytes
 *               magnitudes 4, 12, ... 52, 62;  weight = d / 4 (2 scale + 1) point; signs as in IQ2_XXS
 *
 *     IQ3_S     d (f16); 64 bytes: points, low 8 bits; 8 bytes: their ninth bits; 32 bytes of signs;
 *               4 bytes of scales                                                       110 bytes
 *               magnitudes 1, 3, ... 15;  weight = d (1 + 2 scale) * point
 */
#include "grids.h"
#include "levels.h"

/* Four levels: three bits of the point each choose a magnitude. */
static void read_point(unsigned point, unsigned signs, const int8_t *magnitude, int8_t *q) {
    for (int j = 0; j < 4; j++) {
        int8_t m = magnitude[point >> (3 * j) & 7];
        q[j] = signs >> j & 1 ? (int8_t)-m : m;
    }
}

void levels_iq3_xxs(const void *blocks, size_t n, Levels *out) {
    static const int8_t magnitude[8] = {4, 12, 20, 28, 36, 44, 52, 62};
    const BlockIQ3_XXS *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d) / 4;
    for (int i = 0; i < 8; i++) {
        uint32_t rest;
        memcpy(&rest, block->rest[i], 4);
        out->times[i] = (int8_t)(2 * (rest >> 28) + 1);
        for (int p = 0; p < 8; p++)
            read_point(grid_iq3_xxs[block->q[8 * i + p]],
                       (unsigned)even_signs(rest >> (7 * (p / 2)) & 127) >> (4 * (p % 2)),
                       magnitude, out->q + 32 * i + 4 * p);
    }
}

void levels_iq3_s(const void *blocks, size_t n, Levels *out) {
    static const int8_t magnitude[8] = {1, 3, 5, 7, 9, 11, 13, 15};
    const BlockIQ3_S *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d);
    for (int i = 0; i < 8; i++)
        out->times[i] = (int8_t)(2 * (block->scales[i / 2] >> (4 * (i % 2)) & 15) + 1);
    for (int p = 0; p < 64; p++)
        read_point(grid_iq3_s[block->q[p] | (block->ninth[p / 8] >> (p % 8) & 1) << 8],
                   (unsigned)block->signs[p / 2] >> (4 * (p % 2)), magnitude, out->q + 4 * p);
}
