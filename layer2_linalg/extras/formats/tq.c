/* tq.c - TQ1_0 and TQ2_0: 256 numbers of three values, -d, 0 and d.
 *
 *     TQ2_0    64 bytes, two bits each (value + 1); d (f16)             66 bytes
 *              half h, byte l, bits at 2 s:  number 128 h + 32 s + l
 *
 *     TQ1_0    48 bytes of five digits to base 3, 4 bytes of four; d (f16)      54 bytes
 *              digit t of byte l is number 32 t + l in the first 32 bytes, 160 + 16 t + l in
 *              the next 16, and 240 + 4 t + l in the last 4
 *
 * Five digits are a number 0 .. 242, stored times 256 / 243, rounded up: a fraction of 256, so
 * that multiplying by 3 shifts the first digit out at the top, without a division. */
#include "blocks_extras.h"
#include "formats/quants.h"

/* Digit t of a byte. */
static int digit(uint8_t byte, int t) {
    static const uint8_t power[5] = {1, 3, 9, 27, 81};
    uint8_t fraction = (uint8_t)(byte * power[t]);
    return fraction * 3 >> 8;
}

void unpack_tq1_0(const void *blocks, size_t n, Quants *out) {
    const BlockTQ1_0 *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d);
    memset(out->sub_scale, 1, 8);
    for (int t = 0; t < 5; t++)
        for (int l = 0; l < 32; l++) out->q[32 * t + l] = (int8_t)digit(block->q[l], t);
    for (int t = 0; t < 5; t++)
        for (int l = 0; l < 16; l++)
            out->q[160 + 16 * t + l] = (int8_t)digit(block->q[32 + l], t);
    for (int t = 0; t < 4; t++)
        for (int l = 0; l < 4; l++) out->q[240 + 4 * t + l] = (int8_t)digit(block->rest[l], t);
}

void unpack_tq2_0(const void *blocks, size_t n, Quants *out) {
    const BlockTQ2_0 *block = blocks;
    (void)n;
    out->d[0] = f16_to_f32(block->d);
    memset(out->sub_scale, 1, 8);
    for (int s = 0; s < 8; s++) /* half s / 4, bits at 2 (s % 4) */
        for (int l = 0; l < 32; l++)
            out->q[32 * s + l] = (int8_t)(block->q[32 * (s / 4) + l] >> (2 * (s % 4)) & 3);
}

void quantize_tq2_0(const float *x, const float *importance, void *row, size_t n) {
    BlockTQ2_0 *block = row;
    (void)importance;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++, x += SUPER_BLOCK) {
        float d = fabsf(farthest(x, SUPER_BLOCK)), inverse = d != 0 ? 1 / d : 0;
        memset(block, 0, sizeof *block);
        block->d = f16_from_f32(d);
        for (int k = 0; k < SUPER_BLOCK; k++)
            block->q[32 * (k / 128) + k % 32] |=
                (uint8_t)((lroundf(x[k] * inverse) + 1) << (2 * (k % 128 / 32)));
    }
}

/* The number of the digits, as a fraction of 256, rounded up. */
static uint8_t pack(const float *x, int step, int digits, float inverse) {
    int value = 0;
    for (int t = 0; t < 5; t++)
        value = 3 * value + (t < digits ? (int)lroundf(x[t * step] * inverse) + 1 : 0);
    return (uint8_t)((value * 256 + 242) / 243);
}

void quantize_tq1_0(const float *x, const float *importance, void *row, size_t n) {
    BlockTQ1_0 *block = row;
    (void)importance;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, block++, x += SUPER_BLOCK) {
        float d = fabsf(farthest(x, SUPER_BLOCK)), inverse = d != 0 ? 1 / d : 0;
        block->d = f16_from_f32(d);
        for (int l = 0; l < 32; l++) block->q[l] = pack(x + l, 32, 5, inverse);
        for (int l = 0; l < 16; l++) block->q[32 + l] = pack(x + 160 + l, 16, 5, inverse);
        for (int l = 0; l < 4; l++) block->rest[l] = pack(x + 240 + l, 4, 4, inverse);
    }
}
