/* iq4.c - IQ4_NL and IQ4_XS: four bits choose one of sixteen levels, which lie closer together near zero, where most
 * weights are.
 *
 *     IQ4_NL   as Q4_0, but weight = d * level[q]
 *
 *     IQ4_XS    0        2                4               8                  136 bytes
 *              | d (f16) | scales, high 2 | scales, low 4 | eight times 16 bytes |
 *
 *              block i of 32: s = 6 bits, weight = d (s - 32) level[q]
 */
#include "blocks.h"

static const int8_t level[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                 1,    13,   25,  38,  53,  69,  89,  113};

void dequantize_iq4_nl(const void *row, float *out, size_t n) {
    const BlockIQ4_NL *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, out += SMALL_BLOCK) {
        float d = f16_to_f32(block->d);
        for (int j = 0; j < 16; j++) {
            out[j] = d * (float)level[block->q[j] & 15];
            out[j + 16] = d * (float)level[block->q[j] >> 4];
        }
    }
}

void dequantize_iq4_xs(const void *row, float *out, size_t n) {
    const BlockIQ4_XS *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++)
        for (int i = 0; i < 8; i++, out += SMALL_BLOCK) {
            int low = block->scales_low[i / 2] >> (4 * (i % 2)) & 15,
                high = block->scales_high >> (2 * i) & 3;
            float d = f16_to_f32(block->d) * (float)((low | high << 4) - 32);
            for (int j = 0; j < 16; j++) {
                out[j] = d * (float)level[block->q[16 * i + j] & 15];
                out[j + 16] = d * (float)level[block->q[16 * i + j] >> 4];
            }
        }
}
