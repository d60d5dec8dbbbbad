/* q4.c - Q4_0 and Q4_1: 32 numbers of four bits share a scale (and an offset).
 *
 *      0        2                               18 bytes        byte j:  | 16+j | j |
 *     | d (f16) | b0 | b1 | ...          ... | b15 |                     high 4   low 4 bits
 *
 *     Q4_0   weight = d (q - 8)          q = 0 .. 15
 *     Q4_1   weight = d q + m            with m (f16) after d
 */
#include "blocks.h"

#include "levels.h"

void dequantize_q4_0(const void *row, float *out, size_t n) {
    const BlockQ4_0 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, out += SMALL_BLOCK) {
        float d = f16_to_f32(block->d);
        for (int j = 0; j < 16; j++) {
            out[j] = (float)((block->q[j] & 15) - 8) * d;
            out[j + 16] = (float)((block->q[j] >> 4) - 8) * d;
        }
    }
}

void dequantize_q4_1(const void *row, float *out, size_t n) {
    const BlockQ4_1 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, out += SMALL_BLOCK) {
        float d = f16_to_f32(block->d), m = f16_to_f32(block->m);
        for (int j = 0; j < 16; j++) {
            out[j] = (float)(block->q[j] & 15) * d + m;
            out[j + 16] = (float)(block->q[j] >> 4) * d + m;
        }
    }
}

/* The number farthest from zero becomes -8, the value with no partner on the other side. */
void quantize_q4_0(const float *x, void *row, size_t n) {
    BlockQ4_0 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, x += SMALL_BLOCK) {
        float d = farthest(x) / -8, inverse = d != 0 ? 1 / d : 0;
        block->d = f16_from_f32(d);
        for (int j = 0; j < 16; j++)
            block->q[j] = (uint8_t)(level(x[j] * inverse + 8.5f, 15) |
                                    level(x[j + 16] * inverse + 8.5f, 15) << 4);
    }
}

/* The smallest becomes 0, the largest 15. */
void quantize_q4_1(const float *x, void *row, size_t n) {
    BlockQ4_1 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, x += SMALL_BLOCK) {
        float low = smallest(x), d = (largest(x) - low) / 15, inverse = d != 0 ? 1 / d : 0;
        block->d = f16_from_f32(d), block->m = f16_from_f32(low);
        for (int j = 0; j < 16; j++)
            block->q[j] = (uint8_t)(level((x[j] - low) * inverse + 0.5f, 15) |
                                    level((x[j + 16] - low) * inverse + 0.5f, 15) << 4);
    }
}
