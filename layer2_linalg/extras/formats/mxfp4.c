/* mxfp4.c - MXFP4: 32 four-bit floats share a power of two.
 *
 *      0   1                              17 bytes      byte j:  | 16+j | j |
 *     | e | b0 | b1 | ...         ... | b15 |  each: sign, 2 bits of exponent, 1 of mantissa
 *
 *     0  0.5  1  1.5  2  3  4  6   and their negatives, times 2^(e - 127)
 *
 * The table has twice the values, so that they are integers, plus 12, so that none is negative;
 * the scale is halved.
 * Source   OCP Microscaling Formats specification 1.0, section 5. */
#include "blocks_extras.h"
#include "formats/quants.h"

const int8_t mxfp4_codebook[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};

void unpack_mxfp4(const void *blocks, size_t n, Quants *out) {
    const BlockMXFP4 *block = blocks;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++) {
        int8_t *q = out->q + SMALL_BLOCK * b;
        out->d[b] = ldexpf(1, block->exponent - 128);
        for (int j = 0; j < 16; j++) {
            q[j] = mxfp4_codebook[block->q[j] & 15];
            q[j + 16] = mxfp4_codebook[block->q[j] >> 4];
        }
    }
}

static float distance(int code, float scale, float x) {
    return fabsf((float)(mxfp4_codebook[code] - 12) * scale - x);
}

int mxfp4_nearest(float x, float scale) {
    int best = 0;
    for (int i = 1; i < 16; i++)
        if (distance(i, scale, x) < distance(best, scale, x)) best = i;
    return best;
}

/* The exponent puts the largest number between 4 and 8 times the power of two. */
void quantize_mxfp4(const float *x, const float *importance, void *row, size_t n) {
    BlockMXFP4 *block = row;
    (void)importance;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, x += SMALL_BLOCK) {
        float max = fabsf(farthest(x, SMALL_BLOCK));
        float exponent = max > 0 ? floorf(log2f(max)) - 2 + 127 : 0;
        block->exponent = (uint8_t)(exponent < 0 ? 0 : exponent > 254 ? 254 : exponent);
        float scale = ldexpf(1, block->exponent - 128);
        for (int j = 0; j < 16; j++)
            block->q[j] =
                (uint8_t)(mxfp4_nearest(x[j], scale) | mxfp4_nearest(x[j + 16], scale) << 4);
    }
}
