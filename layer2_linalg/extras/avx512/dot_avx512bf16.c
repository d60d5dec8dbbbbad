/* dot_avx512bf16.c - BF16 weights times inputs, with the instruction made for it.  Read
 * dot_avx512.c first.
 *
 *     w        |k0 k1|k2 k3| ... |k30 k31|      the weights as stored, without widening
 *     x        |k0 k1|k2 k3| ... |k30 k31|      the inputs, rounded to BF16
 *     dpbf16   |  s0 |  s1 | ... |  s15  |      two products for each of 16 sums
 *
 * The inputs keep 8 of their 24 bits, as many as the weights have; many come rounded, once for
 * all rows (round_inputs).  BF16 numbers below 2^-126 count as zero.  All other sets multiply
 * BF16 weights by unrounded inputs.
 *
 * Error    |got - exact| <= (2^-8 + gamma_n) * sum_k |w[k] * x[k]|; dot.h's for BF16 inputs. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "avx512.h"

#undef INLINE
#define INLINE INLINE_OF(BF16)

enum { ROWS = 8, COLS = 3, STEP = 32 };
typedef __m512 Sums;
typedef __m512bh Numbers;

INLINE __mmask32 first_lanes(size_t n) { return n < 32 ? (1u << n) - 1 : 0xFFFFFFFF; }

INLINE __m512bh load_weights(Dtype dtype, const void *row, size_t n) {
    (void)dtype;
    return (__m512bh)_mm512_maskz_loadu_epi16(first_lanes(n), row);
}

INLINE __m512bh load_inputs(const float *x, size_t n) {
    const __mmask32 mask = first_lanes(n);
    return _mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps((__mmask16)(mask >> 16), x + 16),
                               _mm512_maskz_loadu_ps((__mmask16)mask, x));
}

INLINE __m512 zero_sums(void) { return _mm512_setzero_ps(); }
INLINE __m512 multiply_add(__m512bh w, __m512bh x, __m512 sum) {
    return _mm512_dpbf16_ps(sum, w, x);
}

INLINE void store_sums(int R, const __m512 *sum, float *y) { add_lanes_of(R, sum, y); }

#define INPUT_AT
INLINE __m512bh input_at(const DotTask *t, size_t c, size_t k, size_t n) {
    if (t->rounded) return load_weights(DTYPE_BF16, t->rounded + c * t->x_stride + k, n);
    return load_inputs(t->x + c * t->x_stride + k, n);
}

#include "simd/dot_template.h"

DOT_TILE(BF16, dot_tile_bf16_avx512bf16, DTYPE_BF16)

BF16 void round_inputs_avx512bf16(const float *x, size_t n, uint16_t *out) {
    for (size_t k = 0; k < n; k += STEP) {
        const size_t some = n - k < STEP ? n - k : STEP;
        _mm512_mask_storeu_epi16(out + k, first_lanes(some), (__m512i)load_inputs(x + k, some));
    }
}
#endif
