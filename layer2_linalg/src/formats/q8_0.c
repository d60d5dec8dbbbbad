/* q8_0.c - Q8_0: 32 numbers share a scale; a quant is a signed byte.
 *
 *      0        2                                    34 bytes
 *     | d (f16) | q0 | q1 | ...            ... | q31 |        weight k = d * q[k]
 */
#include "quants.h"

/* For each block b of n numbers: its scale, out->d[b], and its 32 quants, at out->q + 32 b. */
void unpack_q8_0(const void *blocks, size_t n, Quants *out) {
    const BlockQ8_0 *block = blocks;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++) {
        out->d[b] = f16_to_f32(block->d);
        memcpy(out->q + SMALL_BLOCK * b, block->q, SMALL_BLOCK);
    }
}

/* scale = largest magnitude / 127, stored as f16; q = x times its inverse (of the scale before
 * that rounding), rounded to nearest, ties away from zero; with a scale of 0 all are 0. */
static void quantize_block(const float *x, BlockQ8_0 *block) {
    float d = fabsf(farthest(x, SMALL_BLOCK)) / 127, inverse = d != 0 ? 1 / d : 0;
    block->d = f16_from_f32(d);
    for (int k = 0; k < SMALL_BLOCK; k++) block->q[k] = (int8_t)roundf(x[k] * inverse);
}

/* The largest number sets the scale; importance is not used. */
void quantize_q8_0(const float *x, const float *importance, void *row, size_t n) {
    BlockQ8_0 *block = row;
    (void)importance;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++) quantize_block(x + b * SMALL_BLOCK, block + b);
}
