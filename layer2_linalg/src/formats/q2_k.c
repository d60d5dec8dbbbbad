/* q2_k.c - Q2_K: 256 numbers of two bits in sixteen groups; each group has a scale and an offset of four bits.
 *
 *      0                   16                      80       82        84 bytes
 *     | 16 x (min | scale) | 64 bytes of 2-bit q   | d (f16) | dmin (f16) |
 *
 *     half h (128 numbers), byte l = 0 .. 31, two bits at 2s:   number 128 h + 32 s + l
 *     weight = d scale q - dmin min
 */
#include "blocks.h"

void dequantize_q2_k(const void *row, float *out, size_t n) {
    const BlockQ2_K *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++, out += SUPER_BLOCK) {
        float d = f16_to_f32(block->d), dmin = f16_to_f32(block->dmin);
        for (int k = 0; k < SUPER_BLOCK; k++) {
            int half = k / 128, shift = k % 128 / 32, byte = k % 32;
            int q = block->q[32 * half + byte] >> (2 * shift) & 3;
            uint8_t group = block->scales[k / 16];
            float scale = d * (float)(group & 15), min = dmin * (float)(group >> 4);
            out[k] = scale * (float)q - min;
        }
    }
}
