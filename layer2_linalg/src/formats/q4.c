/* q4.c - Q4_0 and Q4_1: 32 numbers of 4 bits share a scale (and an offset).
 *
 *      0        2                               18 bytes        byte j:  | 16+j | j |
 *     | d (f16) | b0 | b1 | ...          ... | b15 |                     high 4   low 4 bits
 *
 *     Q4_0   weight = d (q - 8)          q = 0 .. 15
 *     Q4_1   weight = d q + m            with m (f16) after d
 */
#include "quants.h"

/* For each block b of n numbers: its scale, out->d[b], and its quants, 0 .. 15, at out->q + 32
 * b. */
void unpack_q4_0(const void *blocks, size_t n, Quants *out) {
    const BlockQ4_0 *block = blocks;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++) {
        out->d[b] = f16_to_f32(block->d);
        read_nibbles(block->q, 16, out->q + SMALL_BLOCK * b);
    }
}

void unpack_q4_1(const void *blocks, size_t n, Quants *out) {
    const BlockQ4_1 *block = blocks;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++) {
        out->d[b] = f16_to_f32(block->d);
        out->dmin[b] = f16_to_f32(block->m);
        read_nibbles(block->q, 16, out->q + SMALL_BLOCK * b);
    }
}

/* The number farthest from zero (the first of equal ones) becomes -8; with importance,
 * fit_scale finds the scale for quants from -8 to 7.  q = x / scale + 8.5, rounded down and
 * clamped to 0 .. 15, where x is multiplied by the inverse of the scale before that is rounded
 * to f16. */
void quantize_q4_0(const float *x, const float *importance, void *row, size_t n) {
    BlockQ4_0 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, x += SMALL_BLOCK) {
        int8_t quants[SMALL_BLOCK];
        float d = farthest(x, SMALL_BLOCK) / -8;
        if (importance)
            d = fit_scale((Fit){x, importance + SMALL_BLOCK * b, SMALL_BLOCK, -8, 7, NULL},
                          quants);
        float inverse = d != 0 ? 1 / d : 0;
        block->d = f16_from_f32(d);
        for (int j = 0; j < 16; j++)
            block->q[j] = (uint8_t)(quant(x[j] * inverse + 8.5f, 15) |
                                    quant(x[j + 16] * inverse + 8.5f, 15) << 4);
    }
}

void quantize_q4_1(const float *x, const float *importance, void *row, size_t n) {
    const Fit all = {x, importance, 0, 0, 15, NULL};
    BlockQ4_1 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, x += SMALL_BLOCK) {
        float low, d = fit_small(fit_slice(all, b * SMALL_BLOCK, SMALL_BLOCK), &low),
                   inverse = d != 0 ? 1 / d : 0;
        block->d = f16_from_f32(d), block->m = f16_from_f32(low);
        for (int j = 0; j < 16; j++)
            block->q[j] = (uint8_t)(quant((x[j] - low) * inverse + 0.5f, 15) |
                                    quant((x[j + 16] - low) * inverse + 0.5f, 15) << 4);
    }
}
