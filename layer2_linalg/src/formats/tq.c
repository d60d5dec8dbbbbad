/* tq.c - TQ1_0 and TQ2_0: 256 numbers of three values, -d, 0 and d.
 *
 *     TQ2_0    64 bytes, two bits each (value + 1); d (f16)             66 bytes
 *              half h, byte l, bits at 2 s:  number 128 h + 32 s + l
 *
 *     TQ1_0    48 bytes of five digits to base 3, 4 bytes of four; d (f16)      54 bytes
 *              first 32 bytes: digit t of byte l is number 32 t + l;  then 16 bytes: 160 + 16 t + l;
 *              then 4: 240 + 4 t + l
 *
 * Five digits make 0 .. 242, stored as that number * 256 / 243, rounded up: a fraction of 256, so that multiplying by 3
 * moves the first digit out at the top, and no division is needed. */
#include "blocks.h"

#include <math.h>
#include <string.h>

/* Digit t of a byte. */
static int digit(uint8_t byte, int t) {
    static const uint8_t power[5] = {1, 3, 9, 27, 81};
    uint8_t fraction = (uint8_t)(byte * power[t]);
    return fraction * 3 >> 8;
}

void dequantize_tq1_0(const void *row, float *out, size_t n) {
    const BlockTQ1_0 *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++, out += SUPER_BLOCK) {
        float d = f16_to_f32(block->d);
        for (int k = 0; k < SUPER_BLOCK; k++) {
            int value = k < 160   ? digit(block->q[k % 32], k / 32)
                        : k < 240 ? digit(block->q[32 + (k - 160) % 16], (k - 160) / 16)
                                  : digit(block->rest[(k - 240) % 4], (k - 240) / 4);
            out[k] = (float)(value - 1) * d;
        }
    }
}

void dequantize_tq2_0(const void *row, float *out, size_t n) {
    const BlockTQ2_0 *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++, out += SUPER_BLOCK) {
        float d = f16_to_f32(block->d);
        for (int k = 0; k < SUPER_BLOCK; k++) {
            int value = block->q[32 * (k / 128) + k % 32] >> (2 * (k % 128 / 32)) & 3;
            out[k] = (float)(value - 1) * d;
        }
    }
}

static float most_of(const float *x) {
    float most = 0;
    for (int k = 0; k < SUPER_BLOCK; k++) most = fmaxf(most, fabsf(x[k]));
    return most;
}

void quantize_tq2_0(const float *x, void *row, size_t n) {
    BlockTQ2_0 *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++, x += SUPER_BLOCK) {
        float d = most_of(x), inverse = d != 0 ? 1 / d : 0;
        memset(block, 0, sizeof *block);
        block->d = f16_from_f32(d);
        for (int k = 0; k < SUPER_BLOCK; k++)
            block->q[32 * (k / 128) + k % 32] |=
                (uint8_t)((lroundf(x[k] * inverse) + 1) << (2 * (k % 128 / 32)));
    }
}

/* Digits first, first * 3 + next, ...; then that number of 243 as a fraction of 256, rounded up. */
static uint8_t pack(const float *x, int step, int digits, float inverse) {
    int value = 0;
    for (int t = 0; t < 5; t++)
        value = 3 * value + (t < digits ? (int)lroundf(x[t * step] * inverse) + 1 : 0);
    return (uint8_t)((value * 256 + 242) / 243);
}

void quantize_tq1_0(const float *x, void *row, size_t n) {
    BlockTQ1_0 *block = row;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++, x += SUPER_BLOCK) {
        float d = most_of(x), inverse = d != 0 ? 1 / d : 0;
        block->d = f16_from_f32(d);
        for (int l = 0; l < 32; l++) block->q[l] = pack(x + l, 32, 5, inverse);
        for (int l = 0; l < 16; l++) block->q[32 + l] = pack(x + 160 + l, 16, 5, inverse);
        for (int l = 0; l < 4; l++) block->rest[l] = pack(x + 240 + l, 4, 4, inverse);
    }
}
