/* iq2.c - IQ2_XXS, IQ2_XS and IQ2_S: two bits per number.  Eight numbers are a point of a grid
 * of magnitudes 8, 25 and 43, and eight signs.
 *
 *   IQ2_XXS   d (f16); for each 32 numbers 8 bytes:                                    66 bytes
 *             | point 0 | point 1 | point 2 | point 3 | 28 bits of signs, 4 of scale |
 *             weight = d / 8 (2 scale + 1) point
 *
 *     IQ2_XS    d (f16); for each 8 numbers 16 bits:                                 74 bytes
 *               | signs (7) | point (9) |;  8 bytes of scales
 *     IQ2_S     d (f16); 32 bytes: points, low 8 bits; 32 bytes of signs;          82 bytes
 *               8 bytes: points, high 2 bits; 8 bytes of scales
 *               scales: four bits for each 16 numbers
 *
 * Seven bits give eight signs: the number of minuses is even. */
#include "grids.h"
#include "signs.h"
#include "blocks_extras.h"
#include "grid_fit.h"
#include "formats/quants.h"

uint8_t even_signs(unsigned seven) {
    return (uint8_t)(seven | (unsigned)__builtin_parity(seven) << 7);
}

/* 43 is added, so that none is negative: three magnitudes, then their negatives. */
const int8_t iq2_codebook[16] = {51, 68, 86, 43, 35, 18, 0, 43};

/* Eight quants: two bits of the point each choose a magnitude. */
static void read_point(unsigned point, uint8_t signs, int8_t *q) {
    for (int j = 0; j < 8; j++)
        q[j] = iq2_codebook[(point >> (2 * j) & 3) | (signs >> j & 1) << 2];
}

void unpack_iq2_xxs(const void *blocks, size_t n, Quants *out) {
    const BlockIQ2_XXS *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d) / 8;
    for (int i = 0; i < 8; i++) {
        uint32_t rest;
        memcpy(&rest, block->q[i] + 4, 4);
        out->sub_scale[i] = (int8_t)(2 * (rest >> 28) + 1);
        for (int p = 0; p < 4; p++)
            read_point(grid_iq2_xxs[block->q[i][p]], even_signs(rest >> (7 * p) & 127),
                       out->q + 32 * i + 8 * p);
    }
}

static void read_scales(uint16_t d, const uint8_t *scales, Quants *out) {
    out->d[0] = f16_to_f32(d) / 8;
    for (int g = 0; g < 16; g++)
        out->sub_scale[g] = (int8_t)(2 * (scales[g / 2] >> (4 * (g % 2)) & 15) + 1);
}

void unpack_iq2_xs(const void *blocks, size_t n, Quants *out) {
    const BlockIQ2_XS *block = blocks;
    (void)n;
    read_scales(block->d, block->scales, out);
    for (int p = 0; p < 32; p++)
        read_point(grid_iq2_xs[block->q[p] & 511], even_signs(block->q[p] >> 9),
                   out->q + 8 * p);
}

void unpack_iq2_s(const void *blocks, size_t n, Quants *out) {
    const BlockIQ2_S *block = blocks;
    (void)n;
    read_scales(block->d, block->scales, out);
    for (int p = 0; p < 32; p++) {
        int high = block->high[p / 4] >> (2 * (p % 4)) & 3;
        read_point(grid_iq2_s[block->q[p] | high << 8], block->signs[p], out->q + 8 * p);
    }
}

#define IQ2_GRID(grid, n)                                                          \
    .points = grid, .count = n, .numbers = 8, .bits = 2, .levels = {iq2_codebook}, \
    .offset = 43, .top = 43, .max_scale = 15, .unit = 0.125f, .has_signs = true

void quantize_iq2_xxs(const float *x, const float *importance, void *row, size_t n) {
    static const Grid grid = {IQ2_GRID(grid_iq2_xxs, 256), .group = 32, .even = true};
    BlockIQ2_XXS *block = row;
    GridBlock fit;
    for (size_t b = 0; b < n; b += SUPER_BLOCK, block++) {
        grid_fit(&grid, x + b, importance ? importance + b : NULL, &fit);
        block->d = fit.d;
        for (int i = 0; i < 8; i++) {
            uint32_t rest = (uint32_t)fit.scale[i] << 28;
            for (int p = 0; p < 4; p++) {
                block->q[i][p] = (uint8_t)fit.point[4 * i + p];
                rest |= (fit.signs[4 * i + p] & 127u) << (7 * p);
            }
            memcpy(block->q[i] + 4, &rest, 4);
        }
    }
}

void quantize_iq2_xs(const float *x, const float *importance, void *row, size_t n) {
    static const Grid grid = {IQ2_GRID(grid_iq2_xs, 512), .group = 16, .even = true};
    BlockIQ2_XS *block = row;
    GridBlock fit;
    for (size_t b = 0; b < n; b += SUPER_BLOCK, block++) {
        grid_fit(&grid, x + b, importance ? importance + b : NULL, &fit);
        block->d = fit.d;
        for (int i = 0; i < 8; i++)
            block->scales[i] = (uint8_t)(fit.scale[2 * i] | fit.scale[2 * i + 1] << 4);
        for (int p = 0; p < 32; p++)
            block->q[p] = (uint16_t)(fit.point[p] | (fit.signs[p] & 127) << 9);
    }
}

void quantize_iq2_s(const float *x, const float *importance, void *row, size_t n) {
    static const Grid grid = {IQ2_GRID(grid_iq2_s, 1024), .group = 16};
    BlockIQ2_S *block = row;
    GridBlock fit;
    for (size_t b = 0; b < n; b += SUPER_BLOCK, block++) {
        grid_fit(&grid, x + b, importance ? importance + b : NULL, &fit);
        memset(block, 0, sizeof *block);
        block->d = fit.d;
        for (int i = 0; i < 8; i++)
            block->scales[i] = (uint8_t)(fit.scale[2 * i] | fit.scale[2 * i + 1] << 4);
        for (int p = 0; p < 32; p++) {
            block->q[p] = (uint8_t)fit.point[p], block->signs[p] = fit.signs[p];
            block->high[p / 4] |= (uint8_t)(fit.point[p] >> 8 << (2 * (p % 4)));
        }
    }
}
