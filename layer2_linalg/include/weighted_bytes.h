/* weighted_bytes.h - weighted sums of bytes with integer factors.  Read vector.h first.
 *
 *   y[c][i] = y[c][i] + a_scale[c] * x_scale[i] * (a[c][0] * x[0][i] + a[c][1] * x[1][i] + ...)
 *
 * The sum in parentheses is of integers, which a CPU adds four times as fast as floats; then it
 * is scaled and added, rounded once.
 *
 * Siblings: weighted_bytes.c (read first), weighted_bytes_avx2.c, weighted_bytes_vnni.c,
 * weighted_bytes_neon.c.
 *
 * Invariant: that sum is exact, so every version returns the same bits [sums_are_exact]. */
#ifndef STRATA_WEIGHTED_BYTES_H
#define STRATA_WEIGHTED_BYTES_H

#include <stddef.h>
#include <stdint.h>

/*   y   (count, n);    result c begins at y + c * y_step
 *   a   (count, rows); factors at a + c * a_step, their scale at a_scale + c * scale_step
 *   x   (rows, n), in strips of 16 columns, x_step apart.  Within a strip, rows form groups
 *       of G: quads or pairs.  Each column of a group is a lane of a register:
 *
 *       quads   | x[0..3][0] | x[0..3][1] | ... | x[0..3][15] | x[4..7][0] | ...
 *       pairs   | x[0..1][0] | x[0..1][1] | ... | x[0..1][15] | x[2..3][0] | ...
 *
 * Needs    n a multiple of 16; rows of 4 G, at most 64; bytes from -127 to 127. */
typedef struct WeightedBytes {
    float *y;
    const void *a; /* int8_t for quads, int16_t for pairs */
    const float *a_scale;
    const int32_t *a_sum; /* quads: the sum of a[c], at a_sum + c * scale_step; pairs: unused */
    const int8_t *x;
    const uint16_t *x_scale; /* (n) F16; NULL: 1 */
    size_t y_step, a_step, scale_step, x_step;
    size_t count, rows, n;
} WeightedBytes;

void weighted_quads(const WeightedBytes *t);
void weighted_pairs(const WeightedBytes *t);

/* Factors from floats: q[i] = round(w[i] * scale[i] / unit), for n elements.
 *
 *   scale  (n) F16
 *   unit   returned: the largest magnitude / 32767; NaN, and all q 0, if one is not finite */
float quantize_factors(const float *w, const uint16_t *scale, size_t n, int16_t *q);

/* n numbers in blocks of 32, each with a scale: x[i] is about scale[i / 32] * q[i].  The last
 * block is padded with zeros.
 *
 *   q            (n, rounded up to 32) from -127 to 127
 *   scale, sum   (n / 32, rounded up) the scale of a block, and the sum of its q */
void quantize_bytes(const float *x, size_t n, int8_t *q, float *scale, int32_t *sum);

#endif
