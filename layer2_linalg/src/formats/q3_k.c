/* q3_k.c - Q3_K: 256 numbers of 3 bits in 16 groups, each with a 6-bit scale.
 *
 *      0                 32                     96                108      110 bytes
 *     | third bits (256) | 64 bytes of 2-bit q  | 16 scales, 6 bit | d (f16) |
 *
 *     the two low bits as in Q2_K; the third bit of number k: byte k % 32, bit k / 32
 *     weight = d (scale - 32) (q - 4)
 *
 *     scale i:  low 4 bits   byte i % 8, its low half for i < 8, its high half after
 *               high 2 bits  byte 8 + i % 4, at 2 (i / 4)
 */
#include "quants.h"

static int scale_of(const uint8_t *scales, int i) {
    int low = i < 8 ? scales[i] & 15 : scales[i - 8] >> 4;
    int high = scales[8 + i % 4] >> (2 * (i / 4)) & 3;
    return (low | high << 4) - 32;
}

void unpack_q3_k(const void *blocks, size_t n, Quants *out) {
    const BlockQ3_K *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d);
    for (int g = 0; g < 16; g++) out->sub_scale[g] = (int8_t)scale_of(block->scales, g);
    for (int s = 0; s < 8; s++) /* half s / 4, bits at 2 (s % 4) */
        for (int l = 0; l < 32; l++) {
            int third = block->high[l] >> s & 1;
            out->q[32 * s + l] =
                (int8_t)((block->q[32 * (s / 4) + l] >> (2 * (s % 4)) & 3) | third << 2);
        }
}

static void put_scale(uint8_t *scales, int i, int scale) {
    scales[i % 8] |= (uint8_t)((scale & 15) << (i < 8 ? 0 : 4));
    scales[8 + i % 4] |= (uint8_t)((scale >> 4) << (2 * (i / 4)));
}

static void quantize_block(Fit all, BlockQ3_K *block) {
    float scale[16];
    int8_t q[SUPER_BLOCK];
    for (int g = 0; g < 16; g++)
        scale[g] = fit_scale(fit_slice(all, 16 * (size_t)g, 16), q + 16 * g);
    memset(block, 0, sizeof *block);
    block->d = f16_from_f32(farthest(scale, 16) / -32);
    float d = f16_to_f32(block->d);
    for (int g = 0; g < 16; g++)
        put_scale(block->scales, g,
                  32 + fit_multiple(fit_slice(all, 16 * (size_t)g, 16), d, -32, 31, scale[g],
                                    q + 16 * g));
    for (int k = 0; k < SUPER_BLOCK; k++) {
        block->q[32 * (k / 128) + k % 32] |= (uint8_t)((q[k] & 3) << (2 * (k % 128 / 32)));
        block->high[k % 32] |= (uint8_t)((q[k] >> 2) << (k / 32));
    }
}

void quantize_q3_k(const float *x, const float *importance, void *row, size_t n) {
    const Fit all = {x, importance, 0, -4, 3, NULL};
    for (size_t b = 0; b < n / SUPER_BLOCK; b++)
        quantize_block(fit_slice(all, b * SUPER_BLOCK, SUPER_BLOCK), (BlockQ3_K *)row + b);
}
