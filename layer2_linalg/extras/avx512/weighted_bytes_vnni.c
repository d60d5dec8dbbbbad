/* weighted_bytes_vnni.c - weighted sums of bytes, sixteen columns in one register.  Read
 * weighted_bytes.c first.
 *
 *     vpdpbusd   four products of bytes, unsigned times signed, added to a lane's 32-bit sum
 *     vpdpwssd   two products of 16 bits
 *
 * Adding 128 makes the bytes of x unsigned; the sums start at -128 times the sum of the
 * factors. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "avx512.h"

#include <math.h>

#undef INLINE
#define INLINE INLINE_OF(VNNI)

enum { MAX_RESULTS = 8, PAGE = 4096 /* bytes: how far ahead x is prefetched */ };

INLINE __m512 load_halves(const uint16_t *x) {
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)x));
}

/* Group g of rows of strip s. */
INLINE __m512i load_group(int group, const WeightedBytes *t, size_t s, size_t g) {
    const int8_t *x = t->x + s * t->x_step + g * STRIP * (size_t)group;
    if (group == 2)
        return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)x));
    return _mm512_xor_si512(_mm512_loadu_si512(x), _mm512_set1_epi8((char)0x80));
}

/* Add four products of bytes, or two of 16 bits, to each sum. */
INLINE __m512i add_products(int group, __m512i sum, __m512i x, __m512i a) {
    return group == 4 ? _mm512_dpbusd_epi32(sum, x, a) : _mm512_dpwssd_epi32(sum, x, a);
}

/* Group g of rows for C results and S strips. */
INLINE void add_group(int group, int C, int S, const WeightedBytes *t, size_t g,
                      __m512i sum[MAX_RESULTS][2]) {
    const int8_t *a = (const int8_t *)t->a + 4 * g;
    const size_t a_bytes = t->a_step * (group == 4 ? 1 : 2);
    __m512i x[2];
    UNROLL for (int s = 0; s < S; s++) {
        x[s] = load_group(group, t, (size_t)s, g);
        prefetch((const char *)t->x + (size_t)s * t->x_step + g * STRIP * (size_t)group + PAGE,
                 1);
    }
    UNROLL for (int c = 0; c < C; c++) {
        __m512i factors = broadcast4(a + (size_t)c * a_bytes);
        UNROLL for (int s = 0; s < S; s++) {
            sum[c][s] = add_products(group, sum[c][s], x[s], factors);
        }
    }
}

/* y += scales * sums */
INLINE void add_scaled(int C, int S, const WeightedBytes *t, __m512i sum[MAX_RESULTS][2]) {
    __m512 x_scale[2];
    UNROLL for (int s = 0; s < S; s++) {
        x_scale[s] = t->x_scale ? load_halves(t->x_scale + s * STRIP) : _mm512_set1_ps(1);
    }
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int s = 0; s < S; s++) {
        float *y = t->y + (size_t)c * t->y_step + s * STRIP;
        __m512 scale = _mm512_set1_ps(t->a_scale[(size_t)c * t->scale_step]);
        scale = _mm512_mul_ps(scale, x_scale[s]);
        __m512 number = _mm512_cvtepi32_ps(sum[c][s]);
        _mm512_storeu_ps(y, _mm512_fmadd_ps(scale, number, _mm512_loadu_ps(y)));
    }
}

/* Unrolled by four, because in a loop the compiler copies the sums. */
INLINE void tile(int group, int C, int S, WeightedBytes t) {
    __m512i sum[MAX_RESULTS][2];
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int s = 0; s < S; s++) {
        sum[c][s] = group == 4 ? _mm512_set1_epi32(-128 * t.a_sum[(size_t)c * t.scale_step])
                               : _mm512_setzero_si512();
    }
    size_t g = 0;
    do {
        UNROLL for (size_t i = 0; i < 4; i++) add_group(group, C, S, &t, g + i, sum);
    } while ((g += 4) * (size_t)group < t.rows);
    add_scaled(C, S, &t, sum);
}

#include "simd/bytes_template.h"

WEIGHTED_BYTES(VNNI, vnni)

/* 64 at once: a page whose positions are all visible. */
VNNI float quantize_factors_vnni(const float *w, const uint16_t *scale, size_t n, int16_t *q) {
    if (n != 64) return quantize_factors_scalar(w, scale, n, q);
    __m512 x[4], size[4];
    UNROLL for (int i = 0; i < 4; i++) {
        x[i] = _mm512_mul_ps(_mm512_loadu_ps(w + 16 * i), load_halves(scale + 16 * i));
        size[i] = _mm512_abs_ps(x[i]);
    }
    /* the bits of magnitudes are ordered as they are, infinity and NaN last */
    __m512i max = _mm512_max_epi32(
        _mm512_max_epi32(_mm512_castps_si512(size[0]), _mm512_castps_si512(size[1])),
        _mm512_max_epi32(_mm512_castps_si512(size[2]), _mm512_castps_si512(size[3])));
    const int32_t bits = _mm512_reduce_max_epi32(max);
    float largest;
    memcpy(&largest, &bits, sizeof largest);
    if (!(largest < INFINITY) || !(largest > 1e-30f))
        return quantize_factors_scalar(w, scale, n, q);
    const __m512 inverse = _mm512_set1_ps(32767 / largest);
    UNROLL for (int i = 0; i < 4; i++) {
        __m512i whole = _mm512_cvtps_epi32(_mm512_mul_ps(x[i], inverse));
        _mm256_storeu_si256((__m256i *)(void *)(q + 16 * i), _mm512_cvtepi32_epi16(whole));
    }
    return largest / 32767;
}
#endif
