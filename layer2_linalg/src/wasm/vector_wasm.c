/* vector_wasm.c - weighted sum, sum, max and exp, four lanes at a time (WebAssembly).  Read vector.c, sum.c and
 * exp.c first. */
#include "../kernel_types.h"

#if defined(__wasm__)
#include "../simd/unroll.h"
#include "exp_wasm.h"

#include <math.h>
#include <stdbool.h>

enum { LANES = 4, MOST = 4, SUMS = 8 };

/* Numbers of x from the at-th on, in F32 or F16. */
INLINE v128_t load_at(const void *x, size_t at, bool half) {
    return half ? load_halves((const uint16_t *)x + at) : wasm_v128_load((const float *)x + at);
}

/* C results, R registers each, which all rows pass by; C, R and half are constants where it is used. */
INLINE void tile(int C, int R, bool half, WeightedTask t, size_t at) {
    v128_t sum[MOST][8], row[8];
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < R; r++) {
        sum[c][r] = wasm_v128_load(t.y + (size_t)c * t.y_step + 4 * r);
    }
    for (const float *a = t.a, *end = a + t.rows; a < end; a++, at += 16) {
        UNROLL for (int r = 0; r < R; r++) {
            row[r] = load_at(t.x, at + (size_t)(r / 4) * t.x_step + 4 * (size_t)(r % 4), half);
        }
        UNROLL for (int c = 0; c < C; c++) {
            v128_t factor = wasm_f32x4_splat(a[(size_t)c * t.a_step]);
            UNROLL for (int r = 0; r < R; r++) {
                sum[c][r] = wasm_f32x4_add(sum[c][r], wasm_f32x4_mul(row[r], factor));
            }
        }
    }
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < R; r++) {
        wasm_v128_store(t.y + (size_t)c * t.y_step + 4 * r, sum[c][r]);
    }
}

#include "../simd/strips_template.h"

WEIGHTED_SUM(SIMD128, weighted_sum_wasm, weighted_sum_scalar, false)
WEIGHTED_SUM(SIMD128, weighted_sum_f16_wasm, weighted_sum_f16_scalar, true)

SIMD128 float vector_sum_wasm(const float *x, size_t n) {
    v128_t sum[4] = {set(0), set(0), set(0), set(0)};
    float lanes[4];
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t j = 0; j < 4; j++) sum[j] = add(sum[j], load(x + i + 4 * j));
    store(lanes, add(add(sum[0], sum[1]), add(sum[2], sum[3])));
    return ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3])) + vector_sum_scalar(x + i, n - i);
}

/* f32x4.max returns NaN when either operand is one. */
SIMD128 float vector_max_wasm(const float *x, size_t n) {
    v128_t max = set(-INFINITY);
    float lanes[5];
    size_t i = 0;
    for (; i + 4 <= n; i += 4) max = wasm_f32x4_max(max, load(x + i));
    store(lanes, max);
    lanes[4] = vector_max_scalar(x + i, n - i);
    return vector_max_scalar(lanes, 5);
}

SIMD128 void vector_exp_wasm(float *out, const float *x, float shift, size_t n) {
    size_t done = exp_all(out, x, shift, n);
    vector_exp_scalar(out + done, x + done, shift, n - done);
}
#endif
