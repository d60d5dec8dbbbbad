/* iq4.c - IQ4_NL and IQ4_XS: four bits choose one of sixteen values, which are denser near
 * zero, where most weights are.
 *
 *     IQ4_NL   as Q4_0, but weight = d * codebook[q]
 *
 *     IQ4_XS    0        2                4               8                  136 bytes
 *              | d (f16) | scales, high 2 | scales, low 4 | eight times 16 bytes |
 *
 *              block i of 32: s = 6 bits, weight = d (s - 32) codebook[q]
 */
#include "blocks_extras.h"
#include "formats/quants.h"

const int8_t iq4_codebook[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                 1,    13,   25,  38,  53,  69,  89,  113};

static void read_block(const uint8_t *q, int8_t *out) {
    for (int j = 0; j < 16; j++)
        out[j] = iq4_codebook[q[j] & 15], out[16 + j] = iq4_codebook[q[j] >> 4];
}

void unpack_iq4_nl(const void *blocks, size_t n, Quants *out) {
    const BlockIQ4_NL *block = blocks;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++) {
        out->d[b] = f16_to_f32(block->d);
        read_block(block->q, out->q + SMALL_BLOCK * b);
    }
}

void unpack_iq4_xs(const void *blocks, size_t n, Quants *out) {
    const BlockIQ4_XS *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d);
    for (int i = 0; i < 8; i++) {
        int low = block->scales_low[i / 2] >> (4 * (i % 2)) & 15,
            high = block->scales_high >> (2 * i) & 3;
        out->sub_scale[i] = (int8_t)((low | high << 4) - 32);
        read_block(block->q + 16 * i, out->q + 32 * i);
    }
}

static void put_block(const int8_t *quants, uint8_t *q) {
    for (int j = 0; j < 16; j++) q[j] = (uint8_t)(quants[j] | quants[16 + j] << 4);
}

void quantize_iq4_nl(const float *x, const float *importance, void *row, size_t n) {
    const Fit all = {x, importance, 0, 0, 15, iq4_codebook};
    BlockIQ4_NL *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++) {
        const Fit fit = fit_slice(all, b * SMALL_BLOCK, SMALL_BLOCK);
        int8_t quants[SMALL_BLOCK];
        block->d = f16_from_f32(fit_scale(fit, quants));
        fit_quants(fit, f16_to_f32(block->d), 0, quants);
        put_block(quants, block->q);
    }
}

static void quantize_block(Fit all, BlockIQ4_XS *block) {
    float scale[8];
    int8_t quants[SUPER_BLOCK];
    for (int i = 0; i < 8; i++)
        scale[i] = fit_scale(fit_slice(all, 32 * (size_t)i, 32), quants + 32 * i);
    memset(block, 0, sizeof *block);
    block->d = f16_from_f32(farthest(scale, 8) / -32);
    for (int i = 0; i < 8; i++) {
        int s = 32 + fit_multiple(fit_slice(all, 32 * (size_t)i, 32), f16_to_f32(block->d), -32,
                                  31, scale[i], quants + 32 * i);
        block->scales_low[i / 2] |= (uint8_t)((s & 15) << (4 * (i % 2)));
        block->scales_high |= (uint16_t)((s >> 4) << (2 * i));
        put_block(quants + 32 * i, block->q + 16 * i);
    }
}

void quantize_iq4_xs(const float *x, const float *importance, void *row, size_t n) {
    const Fit all = {x, importance, 0, 0, 15, iq4_codebook};
    for (size_t b = 0; b < n / SUPER_BLOCK; b++)
        quantize_block(fit_slice(all, b * SUPER_BLOCK, SUPER_BLOCK), (BlockIQ4_XS *)row + b);
}
