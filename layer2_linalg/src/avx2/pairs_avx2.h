/* pairs_avx2.h - 32 products of bytes, added up in pairs; shared by quantized_avx2.c, which draws
 * them, and packed_one_avx2.c. */
#ifndef STRATA_PAIRS_AVX2_H
#define STRATA_PAIRS_AVX2_H

#include "avx2.h"
#include "../simd/unpack.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The same four inputs in every lane. */
INLINE __m256i four(const int8_t *q) {
    int bytes;
    memcpy(&bytes, q, 4);
    return _mm256_set1_epi32(bytes);
}

INLINE __m256i pairs(__m256i w, __m256i x, bool is_signed) {
    return is_signed ? _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w))
                     : _mm256_maddubs_epi16(w, x);
}

/* How many quads' products fit 16 bits, of those that share a scale: see the head of
 * quantized_avx2.c. */
static inline int room_of(Plan p) {
    if (p.most == 15 && p.group == 32) return 8;
    return p.most == 0 || p.most == 127 ? 1 : p.most == 63 ? 2 : 4;
}

/* The compiler may not put this sum off: it would run out of registers for what is added up later. */
#define IN_ORDER(v) __asm__("" : "+x"(v))

#endif
