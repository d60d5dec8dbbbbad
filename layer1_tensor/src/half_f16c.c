/* half_f16c.c - f16 by instruction on x86-64.  Read half.c first; these return the same bits.
 *
 * Callers: the row converters in layer 2 use the eight-lane form of the same instructions. */
#include "half.h"

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("f16c"))) float f16_to_f32_f16c(uint16_t half) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half)));
}

__attribute__((target("f16c"))) uint16_t f16_from_f32_f16c(float value) {
    __m128i half =
        _mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return (uint16_t)_mm_cvtsi128_si32(half);
}
#endif
