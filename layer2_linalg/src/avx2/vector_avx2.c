/* vector_avx2.c - weighted sum, sum, max, mask and exp, eight lanes at a time.  Read vector.c
 * first.
 *
 * The scalar version, which gives the same bits, takes the last n % 8 elements. */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "exp_avx2.h"

#include <math.h>

enum {
    LANES = 8,
    MAX_RESULTS = 4,
    SUMS = 8,
    PAGE = 4096
}; /* bytes: how far ahead strips are prefetched */

/* A register of x from number `at` on, whatever its format. */
INLINE __m256 load_at(const void *x, size_t at, StripFormat format) {
    const char *p = (const char *)x + strip_number_bytes(format) * at;
    if (format == STRIP_F32) return _mm256_loadu_ps((const float *)(const void *)p);
    if (format == STRIP_F16) return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
    if (format == STRIP_BF16)
        return _mm256_castsi256_ps(
            _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)), 16));
    __m128i bytes = _mm_loadl_epi64((const __m128i *)p), ones = _mm_set1_epi8(15);
    if (format == STRIP_HIGH4) bytes = _mm_srli_epi16(bytes, 4);
    bytes = _mm_sub_epi8(_mm_and_si128(bytes, ones), _mm_set1_epi8(8));
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}

/* C results, R registers each; C, R and the format are constants at each call. */
INLINE void tile(int C, int R, StripFormat format, WeightedTask t, size_t at) {
    __m256 sum[MAX_RESULTS][8], row[8];
    const size_t size = strip_number_bytes(format);
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < R; r++) {
        sum[c][r] = _mm256_loadu_ps(t.y + (size_t)c * t.y_step + 8 * r);
    }
    for (const float *a = t.a, *end = a + t.rows; a < end; a++, at += 16) {
        UNROLL for (int s = 0; 2 * s < R; s++)
            prefetch((const char *)t.x + size * (at + (size_t)s * t.x_step) + PAGE, 1);
        UNROLL for (int r = 0; r < R; r++) {
            row[r] =
                load_at(t.x, at + (size_t)(r / 2) * t.x_step + 8 * (size_t)(r % 2), format);
        }
        UNROLL for (int c = 0; c < C; c++) {
            __m256 factor = _mm256_set1_ps(a[(size_t)c * t.a_step]);
            UNROLL for (int r = 0; r < R; r++) {
                sum[c][r] = _mm256_fmadd_ps(factor, row[r], sum[c][r]);
            }
        }
    }
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < R; r++) {
        _mm256_storeu_ps(t.y + (size_t)c * t.y_step + 8 * r, sum[c][r]);
    }
}

#include "../simd/strips_template.h"

WEIGHTED_SUMS(AVX2, avx2, scalar)

/* An addition takes four cycles, so four chains keep the adder busy. */
AVX2 float vector_sum_avx2(const float *x, size_t n) {
    __m256 sum[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                     _mm256_setzero_ps()};
    size_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (size_t j = 0; j < 4; j++)
            sum[j] = _mm256_add_ps(sum[j], _mm256_loadu_ps(x + i + 8 * j));
    float head =
        add_lanes(_mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3])));
    return head + vector_sum_scalar(x + i, n - i);
}

/* MAXPS returns its second operand if either is NaN, so NaNs are tracked separately. */
AVX2 float vector_max_avx2(const float *x, size_t n) {
    __m256 max = _mm256_set1_ps(-INFINITY), odd = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256 v = _mm256_loadu_ps(x + i);
        max = _mm256_max_ps(v, max);
        odd = _mm256_or_ps(odd, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    }
    if (_mm256_movemask_ps(odd)) return NAN;
    float head = largest_lane(max), tail = vector_max_scalar(x + i, n - i);
    return head > tail ? head : tail;
}

/* Lane i tests bit i of a byte.  Most words are all ones or all zeros and need no lanes. */
AVX2 void vector_mask_avx2(float *x, const uint64_t *bits, size_t n) {
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256 never = _mm256_set1_ps(-INFINITY);
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t word = bits[i / 64];
        if (word == UINT64_MAX) continue;
        for (size_t k = 0; k < 64; k += 8) {
            __m256i byte = _mm256_set1_epi32((int)(word >> k & 0xFF));
            __m256 keep =
                _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(byte, lane), lane));
            __m256 v = _mm256_loadu_ps(x + i + k);
            _mm256_storeu_ps(x + i + k, _mm256_blendv_ps(never, v, keep));
        }
    }
    vector_mask_scalar(x + i, bits + i / 64, n - i);
}

AVX2 void vector_exp_avx2(float *out, const float *x, float shift, size_t n) {
    size_t done = exp_all(out, x, shift, n);
    vector_exp_scalar(out + done, x + done, shift, n - done);
}
#endif
