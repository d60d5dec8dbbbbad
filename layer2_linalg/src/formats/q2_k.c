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
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++) {
        float d = f16_to_f32(block->d), dmin = f16_to_f32(block->dmin);
        for (int g = 0; g < 16; g++, out += 16) { /* half g / 8, bits at 2 (g / 2 % 4) */
            const uint8_t *q = block->q + 32 * (g / 8) + 16 * (g % 2);
            float scale = d * (float)(block->scales[g] & 15),
                  min = dmin * (float)(block->scales[g] >> 4);
            for (int l = 0; l < 16; l++)
                out[l] = scale * (float)(q[l] >> (2 * (g / 2 % 4)) & 3) - min;
        }
    }
}
