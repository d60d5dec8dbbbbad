/* iq3.c - IQ3_XXS and IQ3_S: three bits per number.  Four numbers are a point of a grid of
 * eight magnitudes.
 *
 *     IQ3_XXS   d (f16); 64 bytes: points; for each 32 numbers                         98 bytes
 *               | 28 bits of signs, 4 of scale |
 *               magnitudes 4, 12, ... 52, 62; signs as in IQ2_XXS;
 *               weight = d / 4 (2 scale + 1) point
 *
 *     IQ3_S     d (f16); 64 bytes: points, low 8 bits; 8 bytes: their ninth bits;     110 bytes
 *               32 bytes of signs; 4 bytes of scales
 *               magnitudes 1, 3, ... 15;  weight = d (1 + 2 scale) * point
 */
#include "grids.h"
#include "signs.h"
#include "blocks_extras.h"
#include "grid_fit.h"
#include "formats/quants.h"

/* The largest magnitude is added, so that none is negative: eight magnitudes, then their
 * negatives. */
const int8_t iq3_xxs_codebook[16] = {66, 74, 82, 90, 98, 106, 114, 124,
                                     58, 50, 42, 34, 26, 18,  10,  0};
const int8_t iq3_s_codebook[16] = {16, 18, 20, 22, 24, 26, 28, 30, 14, 12, 10, 8, 6, 4, 2, 0};

/* Four quants: three bits of the point each choose a magnitude. */
static void read_point(unsigned point, unsigned signs, const int8_t *codebook, int8_t *q) {
    for (int j = 0; j < 4; j++) q[j] = codebook[(point >> (3 * j) & 7) | (signs >> j & 1) << 3];
}

void unpack_iq3_xxs(const void *blocks, size_t n, Quants *out) {
    const BlockIQ3_XXS *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d) / 4;
    for (int i = 0; i < 8; i++) {
        uint32_t rest;
        memcpy(&rest, block->rest[i], 4);
        out->sub_scale[i] = (int8_t)(2 * (rest >> 28) + 1);
        for (int p = 0; p < 8; p++)
            read_point(grid_iq3_xxs[block->q[8 * i + p]],
                       (unsigned)even_signs(rest >> (7 * (p / 2)) & 127) >> (4 * (p % 2)),
                       iq3_xxs_codebook, out->q + 32 * i + 4 * p);
    }
}

void unpack_iq3_s(const void *blocks, size_t n, Quants *out) {
    const BlockIQ3_S *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d);
    for (int i = 0; i < 8; i++)
        out->sub_scale[i] = (int8_t)(2 * (block->scales[i / 2] >> (4 * (i % 2)) & 15) + 1);
    for (int p = 0; p < 64; p++)
        read_point(grid_iq3_s[block->q[p] | (block->ninth[p / 8] >> (p % 8) & 1) << 8],
                   (unsigned)block->signs[p / 2] >> (4 * (p % 2)), iq3_s_codebook,
                   out->q + 4 * p);
}

void quantize_iq3_xxs(const float *x, const float *importance, void *row, size_t n) {
    static const Grid grid = {grid_iq3_xxs, 256,  4,     3,    {iq3_xxs_codebook},
                              62,           62,   32,    15,   0.25f,
                              true,         true, false, false};
    BlockIQ3_XXS *block = row;
    GridBlock fit;
    for (size_t b = 0; b < n; b += SUPER_BLOCK, block++) {
        grid_fit(&grid, x + b, importance ? importance + b : NULL, &fit);
        block->d = fit.d;
        for (int p = 0; p < 64; p++) block->q[p] = (uint8_t)fit.point[p];
        for (int i = 0; i < 8; i++) {
            uint32_t rest = (uint32_t)fit.scale[i] << 28;
            for (int j = 0; j < 4; j++) rest |= (fit.signs[4 * i + j] & 127u) << (7 * j);
            memcpy(block->rest[i], &rest, 4);
        }
    }
}

void quantize_iq3_s(const float *x, const float *importance, void *row, size_t n) {
    static const Grid grid = {
        grid_iq3_s, 512, 4, 3, {iq3_s_codebook}, 15, 15, 32, 15, 1, true, false, false, false};
    BlockIQ3_S *block = row;
    GridBlock fit;
    for (size_t b = 0; b < n; b += SUPER_BLOCK, block++) {
        grid_fit(&grid, x + b, importance ? importance + b : NULL, &fit);
        memset(block, 0, sizeof *block);
        block->d = fit.d;
        memcpy(block->signs, fit.signs, sizeof block->signs);
        for (int i = 0; i < 8; i++)
            block->scales[i / 2] |= (uint8_t)(fit.scale[i] << (4 * (i % 2)));
        for (int p = 0; p < 64; p++) {
            block->q[p] = (uint8_t)fit.point[p];
            block->ninth[p / 8] |= (uint8_t)(fit.point[p] >> 8 << (p % 8));
        }
    }
}
