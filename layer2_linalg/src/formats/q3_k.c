/* q3_k.c - Q3_K: 256 numbers of three bits in sixteen groups, each with a scale of six bits.
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
#include "blocks.h"

static int scale_of(const uint8_t *scales, int i) {
    int low = i < 8 ? scales[i] & 15 : scales[i - 8] >> 4;
    int high = scales[8 + i % 4] >> (2 * (i / 4)) & 3;
    return (low | high << 4) - 32;
}

void dequantize_q3_k(const void *row, float *out, size_t n) {
    const BlockQ3_K *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++)
        for (int g = 0; g < 16; g++, out += 16) { /* half g / 8, bits at 2 (g / 2 % 4) */
            const uint8_t *q = block->q + 32 * (g / 8) + 16 * (g % 2),
                          *high = block->high + 16 * (g % 2);
            float scale = f16_to_f32(block->d) * (float)scale_of(block->scales, g);
            for (int l = 0; l < 16; l++) {
                int third = high[l] >> (g / 2) & 1;
                out[l] = scale * (float)((q[l] >> (2 * (g / 2 % 4)) & 3) + 4 * third - 4);
            }
        }
}
