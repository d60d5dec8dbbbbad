/* nvfp4.c - NVFP4: 64 four-bit floats, of which each 16 share an eight-bit float.
 *
 *      0    1    2    3    4                              36 bytes
 *     | d0 | d1 | d2 | d3 | 8 bytes of the first 16 | ... |      byte j:  | 8+j | j |
 *
 *     d (UE4M3)   4 bits of exponent, 3 of mantissa: 2^(exponent - 7) (1 + mantissa / 8);
 *                 mantissa / 512 if the exponent is 0.  0x7F counts as 0, and bit 7 as 0.
 *
 * The four-bit floats and their table are MXFP4's (mxfp4.c): the scale is halved.
 * Source   NVIDIA, "Introducing NVFP4", 2025; blocks of 64 as in GGUF files. */
#include "blocks_extras.h"
#include "formats/quants.h"

enum { NVFP4_GROUP = 16, SCALE_MAX = 0x7E };

static float half_scale(uint8_t d) {
    int exponent = d >> 3 & 15, mantissa = d & 7;
    if (d == 0x7F) return 0;
    return exponent ? ldexpf((float)(8 + mantissa), exponent - 11)
                    : ldexpf((float)mantissa, -10);
}

void unpack_nvfp4(const void *blocks, size_t n, Quants *out) {
    const BlockNVFP4 *block = blocks;
    for (size_t b = 0; b < n / NVFP4_BLOCK; b++, block++)
        for (size_t s = 0; s < 4; s++) {
            int8_t *q = out->q + NVFP4_BLOCK * b + NVFP4_GROUP * s;
            out->d[4 * b + s] = half_scale(block->d[s]);
            for (int j = 0; j < 8; j++) {
                q[j] = mxfp4_codebook[block->q[s][j] & 15];
                q[j + 8] = mxfp4_codebook[block->q[s][j] >> 4];
            }
        }
}

/* The nearest scale, ties up; as the published algorithm does, 7 / 512 for all that are nearer
 * to 8 / 512 but below it, and the largest from 248 on. */
static uint8_t nearest_scale(float x) {
    int power;
    if (!(x > 0)) return 0;
    if (x < 0x1p-6f) return (uint8_t)fminf(x * 512 + 0.5f, 7);
    if (!(x < 248)) return SCALE_MAX;
    float mantissa = frexpf(x, &power); /* 1/2 to 1; rounded up to 1 it adds to the exponent */
    return (uint8_t)(8 * (power + 5) + (int)(16 * mantissa + 0.5f));
}

/* The scale makes the largest number 6, the largest float of four bits. */
void quantize_nvfp4(const float *x, const float *importance, void *row, size_t n) {
    BlockNVFP4 *block = row;
    (void)importance;
    for (size_t b = 0; b < n / NVFP4_BLOCK; b++, block++)
        for (size_t s = 0; s < 4; s++, x += NVFP4_GROUP) {
            block->d[s] = nearest_scale(fabsf(farthest(x, NVFP4_GROUP)) / 6);
            float scale = half_scale(block->d[s]);
            for (int j = 0; j < 8; j++)
                block->q[s][j] =
                    (uint8_t)(mxfp4_nearest(x[j], scale) | mxfp4_nearest(x[j + 8], scale) << 4);
        }
}
