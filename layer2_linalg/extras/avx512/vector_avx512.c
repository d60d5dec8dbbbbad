/* vector_avx512.c - weighted sum, sum, max and exp, sixteen lanes at a time.  Read vector.c
 * first.
 *
 * The scalar version, which gives the same bits, takes the last n % 16 elements. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "exp_avx512.h"

#include <math.h>

enum {
    LANES = 16,
    MAX_RESULTS = 8,
    SUMS = 16,
    PAGE = 4096
}; /* bytes: how far ahead strips are prefetched */

/* A register of x from number `at` on, whatever its format. */
INLINE __m512 load_at(const void *x, size_t at, StripFormat format) {
    const char *p = (const char *)x + strip_number_bytes(format) * at;
    if (format == STRIP_F32) return _mm512_loadu_ps((const float *)(const void *)p);
    if (format == STRIP_F16) return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
    if (format == STRIP_BF16)
        return _mm512_castsi512_ps(_mm512_slli_epi32(
            _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16));
    __m128i bytes = _mm_loadu_si128((const __m128i *)p), ones = _mm_set1_epi8(15);
    if (format == STRIP_HIGH4) bytes = _mm_srli_epi16(bytes, 4);
    bytes = _mm_sub_epi8(_mm_and_si128(bytes, ones), _mm_set1_epi8(8));
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}

/* C results, R registers each; C, R and the format are constants at each call. */
INLINE void tile(int C, int R, StripFormat format, WeightedTask t, size_t at) {
    __m512 sum[MAX_RESULTS][4], row[4];
    const size_t size = strip_number_bytes(format);
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < R; r++) {
        sum[c][r] = _mm512_loadu_ps(t.y + (size_t)c * t.y_step + 16 * r);
    }
    for (const float *a = t.a, *end = a + t.rows; a < end; a++, at += 16) {
        UNROLL for (int s = 0; s < R; s++)
            prefetch((const char *)t.x + size * (at + (size_t)s * t.x_step) + PAGE, 1);
        UNROLL for (int r = 0; r < R; r++) row[r] =
            load_at(t.x, at + (size_t)r * t.x_step, format);
        UNROLL for (int c = 0; c < C; c++) {
            __m512 factor = _mm512_set1_ps(a[(size_t)c * t.a_step]);
            UNROLL for (int r = 0; r < R; r++) {
                sum[c][r] = _mm512_fmadd_ps(factor, row[r], sum[c][r]);
            }
        }
    }
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < R; r++) {
        _mm512_storeu_ps(t.y + (size_t)c * t.y_step + 16 * r, sum[c][r]);
    }
}

#include "simd/strips_template.h"

WEIGHTED_SUMS(AVX512, avx512, avx2)

/* An addition takes four cycles, so four chains keep the adder busy. */
AVX512 float vector_sum_avx512(const float *x, size_t n) {
    __m512 sum[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(),
                     _mm512_setzero_ps()};
    size_t i = 0;
    for (; i + 64 <= n; i += 64)
        for (size_t j = 0; j < 4; j++)
            sum[j] = _mm512_add_ps(sum[j], _mm512_loadu_ps(x + i + 16 * j));
    float head =
        add_lanes(_mm512_add_ps(_mm512_add_ps(sum[0], sum[1]), _mm512_add_ps(sum[2], sum[3])));
    return head + vector_sum_scalar(x + i, n - i);
}

/* MAXPS returns its second operand if either is NaN, so NaNs are tracked separately. */
AVX512 float vector_max_avx512(const float *x, size_t n) {
    __m512 max = _mm512_set1_ps(-INFINITY);
    __mmask16 odd = 0;
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512 v = _mm512_loadu_ps(x + i);
        max = _mm512_max_ps(v, max);
        odd |= _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    }
    if (odd) return NAN;
    float head = _mm512_reduce_max_ps(max), tail = vector_max_scalar(x + i, n - i);
    return head > tail ? head : tail;
}

/* Sixteen bits are a mask register: overwrite the lanes whose bit is 0. */
AVX512 void vector_mask_avx512(float *x, const uint64_t *bits, size_t n) {
    const __m512 never = _mm512_set1_ps(-INFINITY);
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t gone = ~bits[i / 64];
        for (size_t k = 0; gone && k < 64; k += 16)
            _mm512_mask_storeu_ps(x + i + k, (__mmask16)(gone >> k), never);
    }
    vector_mask_scalar(x + i, bits + i / 64, n - i);
}

AVX512 void vector_exp_avx512(float *out, const float *x, float shift, size_t n) {
    size_t done = exp_all(out, x, shift, n);
    vector_exp_scalar(out + done, x + done, shift, n - done);
}
#endif
