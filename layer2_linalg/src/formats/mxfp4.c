/* mxfp4.c - MXFP4: 32 four-bit floats share a power of two.
 *
 *      0   1                              17 bytes      byte j:  | 16+j | j |
 *     | e | b0 | b1 | ...         ... | b15 |           each:    sign, 2 bits of exponent, 1 of mantissa
 *
 *     0  0.5  1  1.5  2  3  4  6   and their negatives, times 2^(e - 127)
 *
 * The table holds twice the values, so that they are whole, and the scale is halved.
 * Source   OCP Microscaling Formats specification 1.0, section 5. */
#include "blocks.h"

#include <math.h>

static const int8_t doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

void dequantize_mxfp4(const void *row, float *out, size_t n) {
    const BlockMXFP4 *block = row;
    for (size_t b = 0; b < n / SMALL_BLOCK; b++, block++, out += SMALL_BLOCK) {
        float scale = ldexpf(1, block->exponent - 128);
        for (int j = 0; j < 16; j++) {
            out[j] = (float)doubled[block->q[j] & 15] * scale;
            out[j + 16] = (float)doubled[block->q[j] >> 4] * scale;
        }
    }
}
