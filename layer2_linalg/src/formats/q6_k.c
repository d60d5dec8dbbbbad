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

/* Quarter s of half h. */
static void read_quarter(const BlockQ6_K *block, int h, int s, float *out) {
    const uint8_t *low = block->low + 64 * h + 32 * (s % 2), *high = block->high + 32 * h;
    const int8_t *scales = block->scales + 8 * h + 2 * s;
    float d = f16_to_f32(block->d), scale[2] = {d * (float)scales[0], d * (float)scales[1]};
    for (int g = 0; g < 2; g++)
        for (int l = 16 * g; l < 16 * g + 16; l++) {
            int q = (low[l] >> (4 * (s / 2)) & 15) | (high[l] >> (2 * s) & 3) << 4;
            out[l] = scale[g] * (float)(q - 32);
        }
}

void dequantize_q6_k(const void *row, float *out, size_t n) {
    const BlockQ6_K *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++)
        for (int h = 0; h < 2; h++)
            for (int s = 0; s < 4; s++, out += 32) read_quarter(block, h, s, out);
}
