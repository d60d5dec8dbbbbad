/* q5.c - Q5_0 and Q5_1: like Q4, and the fifth bits of all 32 numbers lie together.
 *
 *      0        2                  6                              22 bytes
 *     | d (f16) | fifth bits (32)  | b0 | b1 | ...     ... | b15 |      bit k of the 32 belongs to number k
 *
 *     Q5_0   weight = d (q - 16)         q = 0 .. 31
 *     Q5_1   weight = d q + m            with m (f16) after d
 */
#include "levels.h"

#include <string.h>

/* Number k of a block: four bits from the bytes, the fifth from `high`. */
static int five_bits(const uint8_t *high, const uint8_t *q, int k) {
    int low = k < 16 ? q[k] & 15 : q[k - 16] >> 4;
    return low | (high[k / 8] >> (k % 8) & 1) << 4;
}

void dequantize_q5_0(const void *row, float *out, size_t n) {
    const BlockQ5_0 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, out += SMALL_BLOCK) {
        float d = f16_to_f32(block->d);
        for (int k = 0; k < SMALL_BLOCK; k++)
            out[k] = (float)(five_bits(block->high, block->q, k) - 16) * d;
    }
}

void dequantize_q5_1(const void *row, float *out, size_t n) {
    const BlockQ5_1 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, out += SMALL_BLOCK) {
        float d = f16_to_f32(block->d), m = f16_to_f32(block->m);
        for (int k = 0; k < SMALL_BLOCK; k++)
            out[k] = (float)five_bits(block->high, block->q, k) * d + m;
    }
}

static void put_five_bits(uint8_t *high, uint8_t *q, int k, int value) {
    q[k % 16] |= (uint8_t)((value & 15) << (k < 16 ? 0 : 4));
    high[k / 8] |= (uint8_t)((value >> 4) << (k % 8));
}

void quantize_q5_0(const float *x, void *row, size_t n) {
    BlockQ5_0 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, x += SMALL_BLOCK) {
        float d = farthest(x) / -16, inverse = d != 0 ? 1 / d : 0;
        memset(block, 0, sizeof *block);
        block->d = f16_from_f32(d);
        for (int k = 0; k < SMALL_BLOCK; k++)
            put_five_bits(block->high, block->q, k, level(x[k] * inverse + 16.5f, 31));
    }
}

void quantize_q5_1(const float *x, void *row, size_t n) {
    BlockQ5_1 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, x += SMALL_BLOCK) {
        float low = smallest(x), d = (largest(x) - low) / 31, inverse = d != 0 ? 1 / d : 0;
        memset(block, 0, sizeof *block);
        block->d = f16_from_f32(d), block->m = f16_from_f32(low);
        for (int k = 0; k < SMALL_BLOCK; k++)
            put_five_bits(block->high, block->q, k, level((x[k] - low) * inverse + 0.5f, 31));
    }
}
