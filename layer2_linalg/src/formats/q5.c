/* q5.c - Q5_0 and Q5_1: as Q4, with the fifth bits of all 32 numbers together.
 *
 *      0        2                  6                              22 bytes
 *     | d (f16) | fifth bits (32)  | b0 | b1 | ...     ... | b15 |  bit k belongs to number k
 *
 *     Q5_0   weight = d (q - 16)         q = 0 .. 31
 *     Q5_1   weight = d q + m            with m (f16) after d
 */
#include "quants.h"

void unpack_q5_0(const void *blocks, size_t n, Quants *out) {
    const BlockQ5_0 *block = blocks;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++) {
        out->d[b] = f16_to_f32(block->d);
        read_nibbles(block->q, 16, out->q + SMALL_BLOCK * b);
        add_bits(block->high, 4, out->q + SMALL_BLOCK * b);
    }
}

void unpack_q5_1(const void *blocks, size_t n, Quants *out) {
    const BlockQ5_1 *block = blocks;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++) {
        out->d[b] = f16_to_f32(block->d);
        out->dmin[b] = f16_to_f32(block->m);
        read_nibbles(block->q, 16, out->q + SMALL_BLOCK * b);
        add_bits(block->high, 4, out->q + SMALL_BLOCK * b);
    }
}

static void put_five_bits(uint8_t *high, uint8_t *q, int k, int value) {
    q[k % 16] |= (uint8_t)((value & 15) << (k < 16 ? 0 : 4));
    high[k / 8] |= (uint8_t)((value >> 4) << (k % 8));
}

void quantize_q5_0(const float *x, const float *importance, void *row, size_t n) {
    BlockQ5_0 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, x += SMALL_BLOCK) {
        int8_t quants[SMALL_BLOCK];
        float d = farthest(x, SMALL_BLOCK) / -16;
        if (importance)
            d = fit_scale((Fit){x, importance + SMALL_BLOCK * b, SMALL_BLOCK, -16, 15, NULL},
                          quants);
        float inverse = d != 0 ? 1 / d : 0;
        memset(block, 0, sizeof *block);
        block->d = f16_from_f32(d);
        for (int k = 0; k < SMALL_BLOCK; k++)
            put_five_bits(block->high, block->q, k, quant(x[k] * inverse + 16.5f, 31));
    }
}

void quantize_q5_1(const float *x, const float *importance, void *row, size_t n) {
    const Fit all = {x, importance, 0, 0, 31, NULL};
    BlockQ5_1 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, x += SMALL_BLOCK) {
        float low, d = fit_small(fit_slice(all, b * SMALL_BLOCK, SMALL_BLOCK), &low),
                   inverse = d != 0 ? 1 / d : 0;
        memset(block, 0, sizeof *block);
        block->d = f16_from_f32(d), block->m = f16_from_f32(low);
        for (int k = 0; k < SMALL_BLOCK; k++)
            put_five_bits(block->high, block->q, k, quant((x[k] - low) * inverse + 0.5f, 31));
    }
}
