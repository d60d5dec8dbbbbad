/* q8_0.c - Q8_0: 32 numbers share a scale; each is a signed byte.
 *
 *      0        2                                    34 bytes
 *     | d (f16) | q0 | q1 | ...            ... | q31 |        weight k = d * q[k]
 */
#include "blocks.h"

void dequantize_q8_0(const void *row, float *out, size_t n) {
    const BlockQ8_0 *block = row;
    for (size_t b = 0; b < n / Q8_0_BLOCK; b++, block++, out += Q8_0_BLOCK) {
        float d = f16_to_f32(block->d);
        for (int k = 0; k < Q8_0_BLOCK; k++) out[k] = d * (float)block->q[k];
    }
}
