/* q1_0.c - Q1_0: 128 signs share a size.
 *
 *      0        2                    18 bytes
 *     | d (f16) | 16 bytes of bits |         bit k % 8 of byte k / 8:  1 for d, 0 for -d
 *
 * For models trained with such weights; others lose all but the signs. */
#include "blocks_extras.h"
#include "formats/quants.h"

enum { GROUPS = Q1_0_BLOCK / 32 }; /* panels have a scale for each 32 */

void unpack_q1_0(const void *blocks, size_t n, Quants *out) {
    const BlockQ1_0 *block = blocks;
    for (size_t b = 0; b < n / Q1_0_BLOCK; b++, block++) {
        for (size_t g = 0; g < GROUPS; g++) out->d[GROUPS * b + g] = f16_to_f32(block->d);
        for (size_t k = 0; k < Q1_0_BLOCK; k++) /* 0 or 2: the offset is 1 */
            out->q[Q1_0_BLOCK * b + k] = (int8_t)((block->q[k / 8] >> (k % 8) & 1) << 1);
    }
}

/* The mean of the sizes has the smallest error. */
void quantize_q1_0(const float *x, const float *importance, void *row, size_t n) {
    BlockQ1_0 *block = row;
    (void)importance;
    for (size_t b = 0; b < n / Q1_0_BLOCK; b++, block++, x += Q1_0_BLOCK) {
        float sum = 0;
        memset(block, 0, sizeof *block);
        for (size_t k = 0; k < Q1_0_BLOCK; k++) {
            sum += fabsf(x[k]);
            block->q[k / 8] |= (uint8_t)((x[k] >= 0) << (k % 8));
        }
        block->d = f16_from_f32(sum / Q1_0_BLOCK);
    }
}
