/* q6_k.c - Q6_K: 256 numbers of six bits in sixteen groups, each with a scale of eight bits.
 *
 *      0                   128                 192          208       210 bytes
 *     | low 4 bits (128 B) | high 2 bits (64 B) | 16 scales  | d (f16) |
 *
 *     half h (128 numbers), l = 0 .. 31, quarter s = 0 .. 3:    number 128 h + 32 s + l
 *         low    byte 64 h + 32 (s % 2) + l, its low half for s < 2, its high half after
 *         high   byte 32 h + l, at 2 s
 *     weight = d scale (q - 32)
 */
#include "blocks.h"

void dequantize_q6_k(const void *row, float *out, size_t n) {
    const BlockQ6_K *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++, out += SUPER_BLOCK) {
        float d = f16_to_f32(block->d);
        for (int k = 0; k < SUPER_BLOCK; k++) {
            int h = k / 128, s = k % 128 / 32, l = k % 32;
            int low = block->low[64 * h + 32 * (s % 2) + l] >> (4 * (s / 2)) & 15;
            int high = block->high[32 * h + l] >> (2 * s) & 3;
            out[k] = d * (float)block->scales[k / 16] * (float)((low | high << 4) - 32);
        }
    }
}
