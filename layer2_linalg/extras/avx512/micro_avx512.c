/* micro_avx512.c - the micro-kernel of the packed product: 8 rows by 48 columns of C in 24 of
 * the 32 registers.  Read micro_avx2.c first. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "avx512.h"

AVX512 void micro_avx512(size_t k, const float *a, const float *b, float *c, size_t ldc,
                         bool add) {
    enum { MR = MICRO_ROWS_avx512, NR = MICRO_COLS_avx512, NV = NR / 16 };
    __m512 sum[MR][NV];
    /* C is not in the cache: prefetch it */
    UNROLL for (int i = 0; i < MR; i++) UNROLL for (int j = 0; j < NV; j++) {
        _mm_prefetch((const char *)(c + (size_t)i * ldc + 16 * j), _MM_HINT_T0);
    }
    UNROLL for (int i = 0; i < MR; i++) UNROLL for (int j = 0; j < NV; j++) {
        sum[i][j] = add ? _mm512_loadu_ps(c + (size_t)i * ldc + 16 * j) : _mm512_setzero_ps();
    }
    for (size_t p = 0; p < k; p++, a += MR, b += NR) {
        __m512 in[NV];
        UNROLL for (int j = 0; j < NV; j++) in[j] = _mm512_loadu_ps(b + 16 * j);
        UNROLL for (int i = 0; i < MR; i++) {
            __m512 ai = _mm512_set1_ps(a[i]);
            UNROLL for (int j = 0; j < NV; j++) {
                sum[i][j] = _mm512_fmadd_ps(ai, in[j], sum[i][j]);
            }
        }
    }
    UNROLL for (int i = 0; i < MR; i++) UNROLL for (int j = 0; j < NV; j++) {
        _mm512_storeu_ps(c + (size_t)i * ldc + 16 * j, sum[i][j]);
    }
}
#endif
