/* maddubs_avx2.h - 32 products of bytes, added in pairs: drawn in quantized_avx2.c, also used
 * by packed_matvec_avx2.c. */
#ifndef STRATA_MADDUBS_AVX2_H
#define STRATA_MADDUBS_AVX2_H

#include "avx2.h"
#include "../simd/packed_layout.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

INLINE __m256i load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }

/* The same four inputs in every lane. */
INLINE __m256i broadcast4(const int8_t *q) {
    int bytes;
    memcpy(&bytes, q, 4);
    return _mm256_set1_epi32(bytes);
}

INLINE __m256i dot_pairs_u8s8(__m256i w, __m256i x, bool is_signed) {
    return is_signed ? _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w))
                     : _mm256_maddubs_epi16(w, x);
}

/* How many quads of a group fit in 16-bit sums: see the head of quantized_avx2.c. */
static inline int quads_per_i16(PackedLayout p) {
    if (p.max == 15 && p.group == 32) return 8;
    return p.max == 0 || p.max == 127 ? 1 : p.max == 63 ? 2 : 4;
}

/* quantized_s8_avx2.c: PanelProduct for signed quants in groups of 32.  Returns how many of the
 * first inputs it took: 0 when they are too few to pay for the widening. */
size_t panel_product_s8_avx2(const Panel *panels, size_t count, const InputTile *x,
                             float (*y)[PANEL_ROWS]);

/* Keeps the compiler from delaying this sum, which would take too many registers. */
#define KEEP_IN_REGISTER(v) __asm__("" : "+x"(v))

#endif
