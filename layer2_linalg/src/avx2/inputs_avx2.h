/* inputs_avx2.h - input_terms.h for x86. */
#ifndef STRATA_INPUTS_AVX2_H
#define STRATA_INPUTS_AVX2_H

#include "../simd/hints.h"
#include "../simd/input_terms.h"

#include <immintrin.h>

/* The terms of a tile's first input, for groups of 16 or 32. */
INLINE_OF(__attribute__((target("avx2"))))
void input_terms(InputTile x, int offset, int group, InputTerms *terms) {
    const __m256i minus = _mm256_set1_epi32(-offset), ones = _mm256_set1_epi16(1);
    const __m256i *from = (const __m256i *)(const void *)x.sum;
    for (int i = 0; i < (group == 16 ? 2 : 1); i++) {
        __m256 scale = _mm256_loadu_ps(x.d);
        __m256i sum = _mm256_madd_epi16(_mm256_loadu_si256(from), ones);
        if (group == 16) {
            __m256i of_32 = _mm256_add_epi32(_mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3),
                                             _mm256_set1_epi32(4 * i));
            sum = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)from + i));
            scale = _mm256_permutevar8x32_ps(scale, of_32);
        }
        _mm256_storeu_si256((__m256i *)terms->start + i, _mm256_mullo_epi32(sum, minus));
        _mm256_storeu_ps(terms->total + 8 * i, _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale));
    }
}

#endif
