/* q2_k.c - Q2_K: 256 numbers of 2 bits in 16 groups, each with a 4-bit scale and offset.
 *
 *      0                   16                      80       82        84 bytes
 *     | 16 x (min | scale) | 64 bytes of 2-bit q   | d (f16) | dmin (f16) |
 *
 *     half h (128 numbers), byte l = 0 .. 31, two bits at 2s:   number 128 h + 32 s + l
 *     weight = d scale q - dmin min
 */
#include "quants.h"

void unpack_q2_k(const void *blocks, size_t n, Quants *out) {
    const BlockQ2_K *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d), out->dmin[0] = -f16_to_f32(block->dmin);
    for (int g = 0; g < 16; g++) {
        out->sub_scale[g] = (int8_t)(block->scales[g] & 15);
        out->sub_min[g] = (int8_t)(block->scales[g] >> 4);
    }
    for (int s = 0; s < 8; s++) /* half s / 4, bits at 2 (s % 4) */
        for (int l = 0; l < 32; l++)
            out->q[32 * s + l] = (int8_t)(block->q[32 * (s / 4) + l] >> (2 * (s % 4)) & 3);
}

static void quantize_block(Fit all, BlockQ2_K *block) {
    float scale[16], min[16];
    int8_t q[SUPER_BLOCK];
    for (int g = 0; g < 16; g++)
        scale[g] = fit_scale_min(fit_slice(all, 16 * (size_t)g, 16), &min[g], q + 16 * g);
    memset(block, 0, sizeof *block);
    block->d = f16_from_f32(largest(scale, 16) / 15);
    block->dmin = f16_from_f32(largest(min, 16) / 15);
    float d = f16_to_f32(block->d), dmin = f16_to_f32(block->dmin);
    for (int g = 0; g < 16; g++) {
        Pair pair = fit_pair(fit_slice(all, 16 * (size_t)g, 16), d, dmin, 15, scale[g], min[g],
                             q + 16 * g);
        block->scales[g] = (uint8_t)(pair.scale | pair.min << 4);
    }
    for (int k = 0; k < SUPER_BLOCK; k++)
        block->q[32 * (k / 128) + k % 32] |= (uint8_t)(q[k] << (2 * (k % 128 / 32)));
}

void quantize_q2_k(const float *x, const float *importance, void *row, size_t n) {
    const Fit all = {x, importance, 0, 0, 3, NULL};
    for (size_t b = 0; b < n / SUPER_BLOCK; b++)
        quantize_block(fit_slice(all, b * SUPER_BLOCK, SUPER_BLOCK), (BlockQ2_K *)row + b);
}
