/* q4_k.c - Q4_K and Q5_K: 256 numbers in 8 groups of 32, each with a 6-bit scale and offset,
 * which are themselves scaled.
 *
 *      0         2           4                   16                       144 bytes
 *     | d (f16) | dmin (f16) | 8 x (scale, min)  | 128 bytes of quants, 4 bits |       Q4_K
 *
 *     bytes 32 p .. 32 p + 31:  group 2p in their low halves, group 2p + 1 in the high ones
 *     weight = d scale q - dmin min
 *     Q5_K: 32 bytes precede the quants; bit g of byte l is the fifth bit of number l of group
 *     g
 *
 *     6-bit scales and mins in 12 bytes s:
 *         g < 4    scale = s[g] & 63         min = s[g + 4] & 63
 *         g >= 4   scale = s[g + 4] & 15     min = s[g + 4] >> 4     low four bits
 *                  s[g - 4] >> 6             s[g] >> 6               high two bits
 */
#include "quants.h"

static void read_scales(const uint8_t *s, uint16_t d, uint16_t dmin, Quants *out) {
    out->d[0] = f16_to_f32(d), out->dmin[0] = -f16_to_f32(dmin);
    for (int g = 0; g < 8; g++) {
        int scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | (s[g - 4] >> 6) << 4,
            min = g < 4 ? s[g + 4] & 63 : s[g + 4] >> 4 | (s[g] >> 6) << 4;
        out->sub_scale[g] = (int8_t)scale, out->sub_min[g] = (int8_t)min;
    }
}

static void put_pair(uint8_t *s, int g, Pair pair) {
    if (g < 4) {
        s[g] |= (uint8_t)pair.scale, s[g + 4] |= (uint8_t)pair.min;
    } else {
        s[g + 4] |= (uint8_t)((pair.scale & 15) | (pair.min & 15) << 4);
        s[g - 4] |= (uint8_t)(pair.scale >> 4 << 6), s[g] |= (uint8_t)(pair.min >> 4 << 6);
    }
}

void unpack_q4_k(const void *blocks, size_t n, Quants *out) {
    const BlockQ4_K *block = blocks;
    (void)n;
    read_scales(block->scales, block->d, block->dmin, out);
    for (int p = 0; p < 4; p++) read_nibbles(block->q + 32 * p, 32, out->q + 64 * p);
}

void unpack_q5_k(const void *blocks, size_t n, Quants *out) {
    const BlockQ5_K *block = blocks;
    (void)n;
    read_scales(block->scales, block->d, block->dmin, out);
    for (int p = 0; p < 4; p++) read_nibbles(block->q + 32 * p, 32, out->q + 64 * p);
    for (int g = 0; g < 8; g++)
        for (int l = 0; l < 32; l++)
            out->q[32 * g + l] = (int8_t)(out->q[32 * g + l] | (block->high[l] >> g & 1) << 4);
}

/* Shared by both: d, dmin and the pairs; and the quants. */
static void fit_block(Fit all, uint16_t *d_half, uint16_t *dmin_half, uint8_t *scales,
                      int8_t *q) {
    float scale[8], min[8];
    for (int g = 0; g < 8; g++)
        scale[g] = fit_scale_min(fit_slice(all, 32 * (size_t)g, 32), &min[g], q + 32 * g);
    *d_half = f16_from_f32(largest(scale, 8) / 63);
    *dmin_half = f16_from_f32(largest(min, 8) / 63);
    for (int g = 0; g < 8; g++)
        put_pair(scales, g,
                 fit_pair(fit_slice(all, 32 * (size_t)g, 32), f16_to_f32(*d_half),
                          f16_to_f32(*dmin_half), 63, scale[g], min[g], q + 32 * g));
}

static void put_nibbles(const int8_t *q, uint8_t *bytes) {
    for (int p = 0; p < 4; p++)
        for (int l = 0; l < 32; l++)
            bytes[32 * p + l] =
                (uint8_t)((q[64 * p + l] & 15) | (q[64 * p + 32 + l] & 15) << 4);
}

void quantize_q4_k(const float *x, const float *importance, void *row, size_t n) {
    const Fit all = {x, importance, 0, 0, 15, NULL};
    BlockQ4_K *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++) {
        int8_t q[SUPER_BLOCK];
        memset(block, 0, sizeof *block);
        fit_block(fit_slice(all, b * SUPER_BLOCK, SUPER_BLOCK), &block->d, &block->dmin,
                  block->scales, q);
        put_nibbles(q, block->q);
    }
}

void quantize_q5_k(const float *x, const float *importance, void *row, size_t n) {
    const Fit all = {x, importance, 0, 0, 31, NULL};
    BlockQ5_K *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++) {
        int8_t q[SUPER_BLOCK];
        memset(block, 0, sizeof *block);
        fit_block(fit_slice(all, b * SUPER_BLOCK, SUPER_BLOCK), &block->d, &block->dmin,
                  block->scales, q);
        put_nibbles(q, block->q);
        for (int k = 0; k < SUPER_BLOCK; k++)
            block->high[k % 32] |= (uint8_t)((q[k] >> 4) << (k / 32));
    }
}
