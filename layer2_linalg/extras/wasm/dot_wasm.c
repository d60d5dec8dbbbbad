/* dot_wasm.c - dot products, four lanes at a time (WebAssembly).  Read dot.c and dot_avx2.c
 * first.
 *
 * Most CPUs below a WebAssembly engine have sixteen registers: a tile of 4 rows by 2 columns
 * leaves some to convert F16, and converting takes longer than multiplying by two columns.  With
 * more columns, rows of F16 are converted once, to a buffer. */
#include "kernel_types_extras.h"

#if defined(__wasm__)
#include "simd/unroll.h"
#include "wasm.h"

enum { ROWS = 4, COLS = 2, STEP = 4, WIDE = 2048 /* longest row that is buffered */ };
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

INLINE bool tail_apart(int C, Dtype dtype) { return (void)C, (void)dtype, true; }

#include "simd/dot_template.h"

DOT_TILE(SIMD128, dot_tile_f32_wasm, DTYPE_F32)

/* Same bits: a half is a float exactly, and the sums keep their order. */
INLINE void widen_rows(const DotTask *t, size_t rows, float *wide) {
    for (size_t r = 0; r < rows; r++) {
        const uint16_t *row = (const uint16_t *)((const char *)t->w + r * t->w_stride);
        size_t k = 0;
        for (; k + STEP <= t->n; k += STEP)
            wasm_v128_store(wide + r * WIDE + k, load_halves(row + k));
        if (k < t->n)
            wasm_v128_store(wide + r * WIDE + k, load_weights(DTYPE_F16, row + k, t->n - k));
    }
}

SIMD128 void dot_tile_f16_wasm(const DotTask *task) {
    DotTask t = *task;
    float wide[ROWS * WIDE];
    if (t.cols <= COLS || t.n > WIDE) {
        dot_task(DTYPE_F16, t);
        return;
    }
    for (size_t rows; t.rows; t = after_rows(t, rows)) {
        rows = min_size(ROWS, t.rows);
        widen_rows(&t, rows, wide);
        DotTask part = t;
        part.w = wide, part.w_stride = WIDE * sizeof *wide, part.rows = rows;
        dot_task(DTYPE_F32, part);
    }
}

DOT_TILE(SIMD128, dot_tile_bf16_wasm, DTYPE_BF16)
#endif
