/* avx2.h - what functions of AVX2 siblings begin with. */
#ifndef STRATA_AVX2_H
#define STRATA_AVX2_H

#include <immintrin.h>

#define AVX2   __attribute__((target("avx2,fma,f16c")))
#define INLINE static inline __attribute__((always_inline)) AVX2

#endif
