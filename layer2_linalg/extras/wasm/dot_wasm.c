/* dot_wasm.c - dot products, four lanes at a time (WebAssembly).  Read dot.c and dot_avx2.c
 * first.
 *
 * Most CPUs below a WebAssembly engine have sixteen registers: a tile of 4 rows by 2 columns
 * leaves some to convert F16. */
#include "kernel_types_extras.h"

#if defined(__wasm__)
#include "wasm.h"

enum { ROWS = 4, COLS = 2, STEP = 4 };
typedef v128_t Sums, Numbers;

INLINE v128_t load_four(Dtype dtype, const void *row) {
    if (dtype == DTYPE_F32) return wasm_v128_load(row);
    if (dtype == DTYPE_F16) return load_halves(row);
    return wasm_i32x4_shl(wasm_u32x4_load16x4(row), 16);
}

/* The last numbers of a row, padded with zeros. */
INLINE v128_t load_weights(Dtype dtype, const void *row, size_t n) {
    unsigned char padded[16] = {0};
    if (n == STEP) return load_four(dtype, row);
    memcpy(padded, row, n * (dtype == DTYPE_F32 ? 4 : 2));
    return load_four(dtype, padded);
}

INLINE v128_t load_inputs(const float *x, size_t n) { return load_weights(DTYPE_F32, x, n); }
INLINE v128_t zero_sums(void) { return wasm_f32x4_const_splat(0); }
INLINE v128_t multiply_add(v128_t w, v128_t x, v128_t sum) {
    return wasm_f32x4_add(sum, wasm_f32x4_mul(w, x));
}

INLINE float add_lanes(v128_t v) {
    v128_t pair = wasm_f32x4_add(v, UPPER_HALF(v));
    return wasm_f32x4_extract_lane(wasm_f32x4_add(pair, SECOND_LANE(pair)), 0);
}

INLINE void store_sums(int R, const v128_t *sum, float *y) {
    UNROLL for (int r = 0; r < R; r++) y[r] = add_lanes(sum[r]);
}

#include "simd/dot_template.h"

DOT_TILE(SIMD128, dot_tile_f32_wasm, DTYPE_F32)

DOT_TILE(SIMD128, dot_tile_f16_wasm, DTYPE_F16)
DOT_TILE(SIMD128, dot_tile_bf16_wasm, DTYPE_BF16)
#endif
