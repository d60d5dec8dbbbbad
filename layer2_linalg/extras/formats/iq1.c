/* iq1.c - IQ1_S and IQ1_M: 1.5 bits per number.  Eight numbers are a point of a grid of -1, 0
 * and 1, all shifted by an eighth to one side.
 *
 *     IQ1_S    d (f16); 32 bytes: points, low 8 bits; per 32 numbers 16 bits:         50 bytes
 *              | side (1) | scale (3) | four times 3 high bits |
 *
 *     IQ1_M    32 bytes: points, low 8 bits;                                          56 bytes
 *              16 bytes: per two points | side, 3 high bits | side, 3 high bits |;
 *              8 bytes: four times 16 bits | 4 bits of d (f16) | four scales of 3 bits |
 *              a scale for each 16 numbers
 *
 *     weight = d (2 scale + 1) (point +- 1/8); a quant is 8 point +- 1, at 1/8 of the scale
 */
#include "grids.h"
#include "blocks_extras.h"
#include "grid_fit.h"
#include "formats/quants.h"

/* 9 is added, so that none is negative: -8, 0 and 8 shifted up, then down. */
const int8_t iq1_codebook[16] = {2, 10, 18, 0, 0, 8, 16};

static void read_point(unsigned point, bool down, int8_t *q) {
    for (int j = 0; j < 8; j++)
        q[j] = iq1_codebook[(point >> (2 * j) & 3) | (unsigned)down << 2];
}

void unpack_iq1_s(const void *blocks, size_t n, Quants *out) {
    const BlockIQ1_S *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d) / 8;
    for (int i = 0; i < 8; i++) {
        unsigned high = block->high[i];
        out->sub_scale[i] = (int8_t)(2 * (high >> 12 & 7) + 1);
        for (int p = 0; p < 4; p++)
            read_point(grid_iq1[block->q[4 * i + p] | (high >> (3 * p) & 7) << 8], high >> 15,
                       out->q + 32 * i + 8 * p);
    }
}

void unpack_iq1_m(const void *blocks, size_t n, Quants *out) {
    const BlockIQ1_M *block = blocks;
    uint16_t half = 0;
    (void)n;
    for (int i = 0; i < 4; i++) half |= (uint16_t)(block->scales[i] >> 12 << (4 * i));
    out->d[0] = f16_to_f32(half) / 8;
    for (int g = 0; g < 16; g++)
        out->sub_scale[g] = (int8_t)(2 * (block->scales[g / 4] >> (3 * (g % 4)) & 7) + 1);
    for (int p = 0; p < 32; p++) {
        unsigned high = block->high[p / 2] >> (4 * (p % 2)) & 15;
        read_point(grid_iq1[block->q[p] | (high & 7) << 8], high >> 3, out->q + 8 * p);
    }
}

/* Shifted up, and down. */
#define IQ1_GRID                                                                       \
    .points = grid_iq1, .count = 2048, .numbers = 8, .bits = 2,                        \
    .levels = {iq1_codebook, iq1_codebook + 4}, .offset = 9, .top = 9, .max_scale = 7, \
    .unit = 0.125f

void quantize_iq1_s(const float *x, const float *importance, void *row, size_t n) {
    static const Grid grid = {IQ1_GRID, .group = 32, .group_side = true};
    BlockIQ1_S *block = row;
    GridBlock fit;
    for (size_t b = 0; b < n; b += SUPER_BLOCK, block++) {
        grid_fit(&grid, x + b, importance ? importance + b : NULL, &fit);
        memset(block, 0, sizeof *block);
        block->d = fit.d;
        for (int p = 0; p < 32; p++) {
            block->q[p] = (uint8_t)fit.point[p];
            block->high[p / 4] |= (uint16_t)(fit.point[p] >> 8 << (3 * (p % 4)));
        }
        for (int i = 0; i < 8; i++)
            block->high[i] |= (uint16_t)(fit.side[4 * i] << 15 | fit.scale[i] << 12);
    }
}

void quantize_iq1_m(const float *x, const float *importance, void *row, size_t n) {
    static const Grid grid = {IQ1_GRID, .group = 16, .any_side = true};
    BlockIQ1_M *block = row;
    GridBlock fit;
    for (size_t b = 0; b < n; b += SUPER_BLOCK, block++) {
        grid_fit(&grid, x + b, importance ? importance + b : NULL, &fit);
        memset(block, 0, sizeof *block);
        for (int i = 0; i < 4; i++)
            block->scales[i] = (uint16_t)((fit.d >> (4 * i) & 15) << 12);
        for (int g = 0; g < 16; g++)
            block->scales[g / 4] |= (uint16_t)(fit.scale[g] << (3 * (g % 4)));
        for (int p = 0; p < 32; p++) {
            block->q[p] = (uint8_t)fit.point[p];
            block->high[p / 2] |=
                (uint8_t)((fit.point[p] >> 8 | fit.side[p] << 3) << (4 * (p % 2)));
        }
    }
}
