/* dot_avx512.c - dot products, sixteen lanes at a time.  Read dot.c and dot_avx2.c first.
 *
 * There are 32 registers instead of 16, so a tile of 6 rows by 4 columns fits; the tail is
 * loaded under a mask instead of through a padded copy. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "avx512.h"

enum { ROWS = 6, COLS = 4, STEP = 16 };
typedef __m512 Sums, Numbers;

/* n <= 16 weights as f32, then zeros. */
INLINE __m512 load_weights(Dtype dtype, const void *row, size_t n) {
    const __mmask16 mask = (__mmask16)((1u << n) - 1);
    if (dtype == DTYPE_F32) return _mm512_maskz_loadu_ps(mask, row);
    __m256i half = _mm256_maskz_loadu_epi16(mask, row);
    return dtype == DTYPE_F16
               ? _mm512_cvtph_ps(half)
               : _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

INLINE __m512 load_inputs(const float *x, size_t n) { return load_weights(DTYPE_F32, x, n); }
INLINE __m512 zero_sums(void) { return _mm512_setzero_ps(); }
INLINE __m512 multiply_add(__m512 w, __m512 x, __m512 sum) {
    return _mm512_fmadd_ps(w, x, sum);
}

INLINE void store_sums(int R, const __m512 *sum, float *y) { add_lanes_of(R, sum, y); }

#include "simd/dot_template.h"

DOT_TILE(AVX512, dot_tile_f32_avx512, DTYPE_F32)
DOT_TILE(AVX512, dot_tile_f16_avx512, DTYPE_F16)
DOT_TILE(AVX512, dot_tile_bf16_avx512, DTYPE_BF16)
#endif
