/* q6_k.c - Q6_K: 256 numbers of 6 bits in 16 groups, each with an 8-bit scale.
 *
 *      0                   128                 192          208       210 bytes
 *     | low 4 bits (128 B) | high 2 bits (64 B) | 16 scales  | d (f16) |
 *
 *     half h (128 numbers), l = 0 .. 31, quarter s = 0 .. 3:    number 128 h + 32 s + l
 *         low    byte 64 h + 32 (s % 2) + l, its low half for s < 2, its high half after
 *         high   byte 32 h + l, at 2 s
 *     weight = d scale (q - 32)
 */
#include "quants.h"

/* Quarter s of a half. */
static void read_quarter(const uint8_t *restrict low, const uint8_t *restrict high, int s,
                         int8_t *restrict q) {
    for (int l = 0; l < 32; l++)
        q[l] = (int8_t)((low[l] >> (4 * (s / 2)) & 15) | (high[l] >> (2 * s) & 3) << 4);
}

void unpack_q6_k(const void *blocks, size_t n, Quants *out) {
    const BlockQ6_K *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d);
    memcpy(out->sub_scale, block->scales, 16);
    for (int h = 0; h < 2; h++)
        for (int s = 0; s < 4; s++)
            read_quarter(block->low + 64 * h + 32 * (s % 2), block->high + 32 * h, s,
                         out->q + 128 * h + 32 * s);
}

static void quantize_block(Fit all, BlockQ6_K *block) {
    float scale[16];
    int8_t q[SUPER_BLOCK];
    for (int g = 0; g < 16; g++)
        scale[g] = fit_scale(fit_slice(all, 16 * (size_t)g, 16), q + 16 * g);
    memset(block, 0, sizeof *block);
    block->d = f16_from_f32(farthest(scale, 16) / -128);
    float d = f16_to_f32(block->d);
    for (int g = 0; g < 16; g++)
        block->scales[g] = (int8_t)fit_multiple(fit_slice(all, 16 * (size_t)g, 16), d, -128,
                                                127, scale[g], q + 16 * g);
    for (int k = 0; k < SUPER_BLOCK; k++) {
        int h = k / 128, s = k % 128 / 32, l = k % 32;
        block->low[64 * h + 32 * (s % 2) + l] |= (uint8_t)((q[k] & 15) << (4 * (s / 2)));
        block->high[32 * h + l] |= (uint8_t)((q[k] >> 4) << (2 * s));
    }
}

void quantize_q6_k(const float *x, const float *importance, void *row, size_t n) {
    const Fit all = {x, importance, 0, -32, 31, NULL};
    for (size_t b = 0; b < n / SUPER_BLOCK; b++)
        quantize_block(fit_slice(all, b * SUPER_BLOCK, SUPER_BLOCK), (BlockQ6_K *)row + b);
}
