/* q8_0.c - Q8_0: 32 numbers share a scale; each is a signed byte.
 *
 *      0        2                                    34 bytes
 *     | d (f16) | q0 | q1 | ...            ... | q31 |        weight k = d * q[k]
 */
#include "blocks.h"

#include <math.h>

void dequantize_q8_0(const void *row, float *out, size_t n) {
    const BlockQ8_0 *block = row;
    for (size_t b = 0; b < n / Q8_0_BLOCK; b++, block++, out += Q8_0_BLOCK) {
        float d = f16_to_f32(block->d);
        for (int k = 0; k < Q8_0_BLOCK; k++) out[k] = d * (float)block->q[k];
    }
}

static void quantize_q8_0_block(const float *x, BlockQ8_0 *block) {
    float max = 0;
    for (int k = 0; k < Q8_0_BLOCK; k++) max = fmaxf(max, fabsf(x[k]));
    float d = max / 127, inverse = d != 0 ? 1 / d : 0;
    block->d = f16_from_f32(d);
    for (int k = 0; k < Q8_0_BLOCK; k++) block->q[k] = (int8_t)roundf(x[k] * inverse);
}

void quantize_q8_0(const float *x, void *row, size_t n) {
    BlockQ8_0 *block = row;
    for (size_t b = 0; b < n / Q8_0_BLOCK; b++)
        quantize_q8_0_block(x + b * Q8_0_BLOCK, block + b);
}
