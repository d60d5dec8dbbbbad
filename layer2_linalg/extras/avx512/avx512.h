/* avx512.h - shared by the AVX-512 siblings. */
#ifndef STRATA_AVX512_H
#define STRATA_AVX512_H

#include "simd/hints.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma")))
#define VNNI   __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma,avx512vnni")))
#define BF16   __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma,avx512bf16")))
#define INLINE INLINE_OF(AVX512)

/* A fixed tree: halves, quarters, pairs, lanes. */
INLINE float add_lanes(__m512 v) {
    __m256 half = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    __m128 pair = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
}

/* The same for R registers, four at a time: their lanes are added side by side. */
INLINE void add_lanes_of(int R, const __m512 *v, float *y) {
    const int fours = R / 4 * 4;
    UNROLL for (int r = 0; r < fours; r += 4) {
        __m512 half[2];
        UNROLL for (int i = 0; i < 2; i++) {
            const __m512 a = v[r + 2 * i], b = v[r + 2 * i + 1];
            half[i] = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44),
                                    _mm512_shuffle_f32x4(a, b, 0xEE));
        }
        const __m512 quarter = _mm512_add_ps(_mm512_shuffle_f32x4(half[0], half[1], 0x88),
                                             _mm512_shuffle_f32x4(half[0], half[1], 0xDD)),
                     pair = _mm512_add_ps(quarter, _mm512_permute_ps(quarter, 0xEE)),
                     lane = _mm512_add_ps(pair, _mm512_movehdup_ps(pair));
        const __m512 sums = _mm512_maskz_compress_ps(0x1111, lane);
        _mm_storeu_ps(y + r, _mm512_castps512_ps128(sums));
    }
    UNROLL for (int r = fours; r < R; r++) y[r] = add_lanes(v[r]);
}

/* The same four inputs in every lane. */
INLINE __m512i broadcast4(const int8_t *q) {
    int bytes;
    memcpy(&bytes, q, 4);
    return _mm512_set1_epi32(bytes);
}

#endif
