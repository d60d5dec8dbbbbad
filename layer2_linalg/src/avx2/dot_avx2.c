/* dot_avx2.c - dot products, eight lanes at a time.  Read dot.c first.
 *
 *    w   |k0 k1 k2 k3 k4 k5 k6 k7|k8 ...      lane i sums the products k = i, i+8, i+16, ...
 *    x   |k0 k1 k2 k3 k4 k5 k6 k7|k8 ...      one fused multiply-add for eight products
 *    sum |s0 s1 s2 s3 s4 s5 s6 s7|            at the end: ((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7))
 *
 * Each output has a register of sums, whatever the size of the tile; so a result does not
 * depend on what is computed with it.  A tile of 4 rows by 3 inputs keeps twelve chains in
 * flight; each weight loaded (and converted) serves three inputs, each input four rows.
 *
 * dot_template.h has the loops: for one input, for a few, for many. */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "avx2.h"

#include <string.h>

enum { ROWS = 4, COLS = 3, STEP = 8 };
typedef __m256 Sums, Numbers;

/* add_lanes (avx2.h) of four registers. */
INLINE __m128 add_four(__m256 a, __m256 b, __m256 c, __m256 d) {
    __m256 ab = _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20),
                              _mm256_permute2f128_ps(a, b, 0x31)),
           cd = _mm256_add_ps(_mm256_permute2f128_ps(c, d, 0x20),
                              _mm256_permute2f128_ps(c, d, 0x31));
    __m256d low = _mm256_unpacklo_pd(_mm256_castps_pd(ab), _mm256_castps_pd(cd)),
            high = _mm256_unpackhi_pd(_mm256_castps_pd(ab), _mm256_castps_pd(cd));
    __m256 pair = _mm256_add_ps(_mm256_castpd_ps(low), _mm256_castpd_ps(high)); /* a c | b d */
    __m256 sum = _mm256_add_ps(pair, _mm256_movehdup_ps(pair));
    __m128 ac = _mm256_castps256_ps128(sum), bd = _mm256_extractf128_ps(sum, 1);
    return _mm_blend_ps(ac, _mm_moveldup_ps(bd), 0xA);
}

/* Eight weights as f32. */
INLINE __m256 load_eight(Dtype dtype, const void *row) {
    if (dtype == DTYPE_F32) return _mm256_loadu_ps(row);
    __m128i half = _mm_loadu_si128(row);
    return dtype == DTYPE_F16
               ? _mm256_cvtph_ps(half)
               : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}

/* The last numbers of a row, padded with zeros. */
INLINE __m256 load_weights(Dtype dtype, const void *row, size_t n) {
    unsigned char padded[32] = {0};
    if (n == STEP) return load_eight(dtype, row);
    memcpy(padded, row, n * (dtype == DTYPE_F32 ? 4 : 2));
    return load_eight(dtype, padded);
}

INLINE __m256 load_inputs(const float *x, size_t n) { return load_weights(DTYPE_F32, x, n); }
INLINE __m256 zero_sums(void) { return _mm256_setzero_ps(); }
INLINE __m256 multiply_add(__m256 w, __m256 x, __m256 sum) {
    return _mm256_fmadd_ps(w, x, sum);
}

/* y[r] = the lanes of sum[r], added by the tree above; R is 4 or 1. */
INLINE void store_sums(int R, const __m256 *sum, float *y) {
    if (R == 4)
        _mm_storeu_ps(y, add_four(sum[0], sum[1], sum[2], sum[3]));
    else
        *y = add_lanes(sum[0]);
}

#include "../simd/dot_template.h"

DOT_TILE(AVX2, dot_tile_f32_avx2, DTYPE_F32)
DOT_TILE(AVX2, dot_tile_f16_avx2, DTYPE_F16)
DOT_TILE(AVX2, dot_tile_bf16_avx2, DTYPE_BF16)
#endif
