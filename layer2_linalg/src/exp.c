/* exp.c - the exponential, by a power of two and a polynomial.  See vector.h. */
#include "kernel_types.h"
#include "simd/exp_constants.h"

#include <math.h>
#include <string.h>

/* 2^m for m = -126 .. 127, by writing the exponent bits. */
static float power_of_two(int m) {
    unsigned bits = (unsigned)(m + 127) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* exp(v) in operations that every version does in this order, each rounded to a float:
 *
 *     v    brought to EXP_LOWEST .. EXP_HIGHEST; NaN is returned as it is
 *     m    v * EXP_LOG2E rounded to a whole number, by adding EXP_ROUND and taking it off again
 *     r    v - m * EXP_LN2_HIGH - m * EXP_LN2_LOW, from left to right
 *     p    ((((C6 r + C5) r + C4) r + C3) r + C2) (r r) + r + 1
 *     p * 2^half * 2^(m - half), half = m/2 rounded down: 2^m itself may lie outside the exponents of f32 */
static float exp_one(float v) {
    v = v > EXP_HIGHEST ? EXP_HIGHEST : v;
    v = v < EXP_LOWEST ? EXP_LOWEST : v;
    float whole = v * EXP_LOG2E + EXP_ROUND - EXP_ROUND;
    float r = v - whole * EXP_LN2_HIGH - whole * EXP_LN2_LOW;
    float p = EXP_C6;
    p = p * r + EXP_C5;
    p = p * r + EXP_C4;
    p = p * r + EXP_C3;
    p = p * r + EXP_C2;
    p = p * (r * r) + r + 1;
    if (isnan(v)) return v;
    int m = (int)whole, half = (m - (m & 1)) / 2; /* rounded down, for negative m, too */
    return p * power_of_two(half) * power_of_two(m - half);
}

void vector_exp_scalar(float *out, const float *x, float shift, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = exp_one(x[i] - shift);
}
