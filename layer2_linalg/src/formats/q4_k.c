/* q4_k.c - Q4_K and Q5_K: 256 numbers in eight groups of 32; a group has a scale and an offset of six bits, which are
 * themselves scaled.
 *
 *      0         2           4                   16                       144 bytes
 *     | d (f16) | dmin (f16) | 8 x (scale, min)  | 128 bytes: 64 numbers each 32 |       Q4_K
 *
 *     bytes 32 p .. 32 p + 31:  group 2p in their low halves, group 2p + 1 in their high ones
 *     weight = d scale q - dmin min
 *     Q5_K has 32 bytes of fifth bits before them: of group g in bit g of byte l
 *
 *     6-bit scales and mins in 12 bytes s:    g < 4   scale = s[g] & 63            min = s[g + 4] & 63
 *         g >= 4   scale = s[g + 4] & 15 | (s[g - 4] >> 6) << 4     min = s[g + 4] >> 4 | (s[g] >> 6) << 4
 */
#include "blocks.h"

static void read_group(const uint8_t *s, int g, int *scale, int *min) {
    if (g < 4) {
        *scale = s[g] & 63, *min = s[g + 4] & 63;
    } else {
        *scale = (s[g + 4] & 15) | (s[g - 4] >> 6) << 4;
        *min = s[g + 4] >> 4 | (s[g] >> 6) << 4;
    }
}

void dequantize_q4_k(const void *row, float *out, size_t n) {
    const BlockQ4_K *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++)
        for (int g = 0; g < 8; g++, out += 32) {
            int scale, min;
            read_group(block->scales, g, &scale, &min);
            float d = f16_to_f32(block->d) * (float)scale,
                  m = f16_to_f32(block->dmin) * (float)min;
            const uint8_t *q = block->q + 32 * (g / 2);
            for (int l = 0; l < 32; l++) out[l] = d * (float)(q[l] >> (4 * (g % 2)) & 15) - m;
        }
}

void dequantize_q5_k(const void *row, float *out, size_t n) {
    const BlockQ5_K *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++)
        for (int g = 0; g < 8; g++, out += 32) {
            int scale, min;
            read_group(block->scales, g, &scale, &min);
            float d = f16_to_f32(block->d) * (float)scale,
                  m = f16_to_f32(block->dmin) * (float)min;
            const uint8_t *q = block->q + 32 * (g / 2);
            for (int l = 0; l < 32; l++) {
                int fifth = block->high[l] >> g & 1;
                out[l] = d * (float)((q[l] >> (4 * (g % 2)) & 15) + 16 * fifth) - m;
            }
        }
}
