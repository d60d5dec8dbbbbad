/* dot_neon.c - dot products, four lanes at a time (AArch64).  Read dot.c and dot_avx2.c first.
 *
 * 32 registers allow a tile of 4 rows by 4 columns. */
#include "kernel_types_extras.h"

#if defined(__aarch64__)
#include "neon.h"

enum { ROWS = 4, COLS = 4, STEP = 4 };
typedef float32x4_t Sums, Numbers;

INLINE float add_lanes(float32x4_t v) {
    float32x2_t pair = vadd_f32(vget_low_f32(v), vget_high_f32(v));
    return vget_lane_f32(vpadd_f32(pair, pair), 0);
}

/* Four weights as f32. */
INLINE float32x4_t load_four(Dtype dtype, const void *row) {
    if (dtype == DTYPE_F32) return vld1q_f32(row);
    uint16x4_t half = vld1_u16(row);
    return dtype == DTYPE_F16 ? vcvt_f32_f16(vreinterpret_f16_u16(half))
                              : vreinterpretq_f32_u32(vshll_n_u16(half, 16));
}

/* The last numbers of a row, padded with zeros. */
INLINE float32x4_t load_weights(Dtype dtype, const void *row, size_t n) {
    unsigned char padded[16] = {0};
    if (n == STEP) return load_four(dtype, row);
    memcpy(padded, row, n * (dtype == DTYPE_F32 ? 4 : 2));
    return load_four(dtype, padded);
}

INLINE float32x4_t load_inputs(const float *x, size_t n) {
    return load_weights(DTYPE_F32, x, n);
}
INLINE float32x4_t zero_sums(void) { return vdupq_n_f32(0); }
INLINE float32x4_t multiply_add(float32x4_t w, float32x4_t x, float32x4_t sum) {
    return vfmaq_f32(sum, w, x);
}

INLINE void store_sums(int R, const float32x4_t *sum, float *y) {
    UNROLL for (int r = 0; r < R; r++) y[r] = add_lanes(sum[r]);
}

#include "simd/dot_template.h"

DOT_TILE(, dot_tile_f32_neon, DTYPE_F32)
DOT_TILE(, dot_tile_f16_neon, DTYPE_F16)
DOT_TILE(, dot_tile_bf16_neon, DTYPE_BF16)
#endif
