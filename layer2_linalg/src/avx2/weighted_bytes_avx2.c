/* weighted_bytes_avx2.c - weighted sums of bytes, eight columns in one register.  Read
 * weighted_bytes.c first.
 *
 *     maddubs   unsigned bytes times signed ones: |x| times a with x's sign; two fit in 16 bits
 *     madd      two products of 16 bits, added in 32 */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "avx2.h"

#include <math.h>
#include <string.h>

enum { MAX_RESULTS = 4 };

INLINE __m256 load_halves(const uint16_t *x) {
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)x));
}

/* Half h of a strip's group of rows. */
INLINE __m256i load_group(int group, const WeightedBytes *t, size_t h, size_t g) {
    const int8_t *x =
        t->x + h / 2 * t->x_step + (g * STRIP + h % 2 * STRIP / 2) * (size_t)group;
    if (group == 2)
        return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)x));
    return _mm256_loadu_si256((const __m256i *)(const void *)x);
}

INLINE __m256i products(int group, __m256i x, __m256i a) {
    if (group == 2) return _mm256_madd_epi16(x, a);
    __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), _mm256_sign_epi8(a, x));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

/* y += scales * sum, for half h of result c. */
INLINE void add_scaled(const WeightedBytes *t, size_t c, size_t h, __m256i sum) {
    float *y = t->y + c * t->y_step + h * STRIP / 2;
    __m256 scale = _mm256_set1_ps(t->a_scale[c * t->scale_step]);
    if (t->x_scale) scale = _mm256_mul_ps(scale, load_halves(t->x_scale + h * STRIP / 2));
    _mm256_storeu_ps(y, _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(sum), _mm256_loadu_ps(y)));
}

/* A strip is two registers; more than eight sums would not fit in sixteen registers. */
INLINE void one_strip(int group, int C, WeightedBytes t) {
    __m256i sum[MAX_RESULTS][2], x[2];
    UNROLL for (int c = 0; c < C; c++) sum[c][0] = sum[c][1] = _mm256_setzero_si256();
    for (size_t g = 0; g < t.rows / (size_t)group; g++) {
        UNROLL for (int h = 0; h < 2; h++) x[h] = load_group(group, &t, (size_t)h, g);
        UNROLL for (int c = 0; c < C; c++) {
            const size_t at = (size_t)c * t.a_step * (group == 4 ? 1 : 2) + 4 * g;
            int factors;
            memcpy(&factors, (const char *)t.a + at, 4);
            __m256i a = _mm256_set1_epi32(factors);
            UNROLL for (int h = 0; h < 2; h++) {
                sum[c][h] = _mm256_add_epi32(sum[c][h], products(group, x[h], a));
            }
        }
    }
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int h = 0; h < 2; h++) {
        add_scaled(&t, (size_t)c, (size_t)h, sum[c][h]);
    }
}

INLINE WeightedBytes strip_after(WeightedBytes t) {
    t.y += STRIP, t.x += t.x_step;
    if (t.x_scale) t.x_scale += STRIP;
    return t;
}

INLINE void tile(int group, int C, int S, WeightedBytes t) {
    one_strip(group, C, t);
    if (S == 2) one_strip(group, C, strip_after(t));
}

#include "../simd/bytes_template.h"

WEIGHTED_BYTES(AVX2, avx2)

AVX2 float quantize_factors_avx2(const float *w, const uint16_t *scale, size_t n, int16_t *q) {
    const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FFFFFFF));
    if (n % 16) return quantize_factors_scalar(w, scale, n, q);
    __m256i max = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 8) {
        __m256 x = _mm256_mul_ps(_mm256_loadu_ps(w + i), load_halves(scale + i));
        max = _mm256_max_epu32(max, _mm256_castps_si256(_mm256_and_ps(x, magnitude)));
    }
    const float largest = largest_magnitude(max);
    if (!(largest < INFINITY) || !(largest > 1e-30f))
        return quantize_factors_scalar(w, scale, n, q);
    const __m256 inverse = _mm256_set1_ps(32767 / largest);
    for (size_t i = 0; i < n; i += 16) {
        __m256i whole[2];
        for (size_t k = 0; k < 2; k++) {
            __m256 x =
                _mm256_mul_ps(_mm256_loadu_ps(w + i + 8 * k), load_halves(scale + i + 8 * k));
            whole[k] = _mm256_cvtps_epi32(_mm256_mul_ps(x, inverse));
        }
        __m256i packed = _mm256_packs_epi32(whole[0], whole[1]); /* 0-3 8-11 4-7 12-15 */
        _mm256_storeu_si256((__m256i *)(void *)(q + i), _mm256_permute4x64_epi64(packed, 0xD8));
    }
    return largest / 32767;
}
#endif
