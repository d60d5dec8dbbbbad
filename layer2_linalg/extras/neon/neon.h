/* neon.h - shared by the NEON siblings. */
#ifndef STRATA_NEON_H
#define STRATA_NEON_H

#include "simd/hints.h"

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#define DOTPROD __attribute__((target("arch=armv8.2-a+dotprod")))
#define INLINE  INLINE_OF()

/* The same four inputs in every lane. */
INLINE int8x16_t broadcast4(const int8_t *q) {
    int32_t bytes;
    memcpy(&bytes, q, 4);
    return vreinterpretq_s8_s32(vdupq_n_s32(bytes));
}

#endif
