/* vector_wasm.c - weighted sum, sum, max and exp, four lanes at a time (WebAssembly).
 * Read vector.c first. */
#include "kernel_types_extras.h"

#if defined(__wasm__)
#include "exp_wasm.h"

#include <math.h>

enum { LANES = 4, MAX_RESULTS = 4, SUMS = 8 };

/* A register of x from number `at` on, whatever its format. */
INLINE v128_t load_at(const void *x, size_t at, StripFormat format) {
    const char *p = (const char *)x + strip_number_bytes(format) * at;
    if (format == STRIP_F32) return wasm_v128_load(p);
    if (format == STRIP_F16) return load_halves((const uint16_t *)p);
    if (format == STRIP_BF16) return wasm_i32x4_shl(wasm_u32x4_load16x4(p), 16);
    v128_t bytes = wasm_v128_load32_zero(p);
    if (format == STRIP_LOW4) bytes = wasm_v128_and(bytes, wasm_i8x16_splat(15));
    if (format == STRIP_HIGH4) bytes = wasm_u8x16_shr(bytes, 4);
    bytes = wasm_i8x16_sub(bytes, wasm_i8x16_splat(8));
    return wasm_f32x4_convert_i32x4(
        wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(bytes)));
}

/* C results, R registers each; C, R and the format are constants at each call. */
INLINE void tile(int C, int R, StripFormat format, WeightedTask t, size_t at) {
    v128_t sum[MAX_RESULTS][8], row[8];
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < R; r++) {
        sum[c][r] = wasm_v128_load(t.y + (size_t)c * t.y_step + 4 * r);
    }
    for (const float *a = t.a, *end = a + t.rows; a < end; a++, at += 16) {
        UNROLL for (int r = 0; r < R; r++) {
            row[r] =
                load_at(t.x, at + (size_t)(r / 4) * t.x_step + 4 * (size_t)(r % 4), format);
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

#include "simd/strips_template.h"

WEIGHTED_SUMS(SIMD128, wasm, scalar)

SIMD128 float vector_sum_wasm(const float *x, size_t n) {
    v128_t sum[4] = {set(0), set(0), set(0), set(0)};
    float lanes[4];
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t j = 0; j < 4; j++) sum[j] = add(sum[j], load(x + i + 4 * j));
    store(lanes, add(add(sum[0], sum[1]), add(sum[2], sum[3])));
    return ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3])) + vector_sum_scalar(x + i, n - i);
}

/* f32x4.max returns NaN if either operand is NaN. */
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
