/* micro_avx2.c - the micro-kernel of the packed product: 6 rows by 16 columns of C in twelve
 * registers.  Read micro_scalar in matmul_packed.c first.
 *
 *              b: 2 registers of 8 columns
 *     a[0] ->  | c00 | c01 |
 *      ...     |    ...    |      each step along k: 2 loads, 6 broadcasts, 12 multiply-adds,
 *     a[5] ->  | c50 | c51 |      at two multiply-adds a cycle these are the limit
 *
 * And the packing of rows, 4 numbers of 8 rows at a time. */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "avx2.h"

AVX2 void micro_avx2(size_t k, const float *a, const float *b, float *c, size_t ldc, bool add) {
    enum { MR = MICRO_ROWS_avx2, NR = MICRO_COLS_avx2 };
    __m256 sum[MR][2];
    /* C is not in the cache: prefetch it */
    UNROLL for (int i = 0; i < MR; i++) {
        _mm_prefetch((const char *)(c + (size_t)i * ldc), _MM_HINT_T0);
        _mm_prefetch((const char *)(c + (size_t)i * ldc + 15), _MM_HINT_T0);
    }
    UNROLL for (int i = 0; i < MR; i++) {
        sum[i][0] = add ? _mm256_loadu_ps(c + (size_t)i * ldc) : _mm256_setzero_ps();
        sum[i][1] = add ? _mm256_loadu_ps(c + (size_t)i * ldc + 8) : _mm256_setzero_ps();
    }
    for (size_t p = 0; p < k; p++, a += MR, b += NR) {
        __m256 b0 = _mm256_loadu_ps(b), b1 = _mm256_loadu_ps(b + 8);
        UNROLL for (int i = 0; i < MR; i++) {
            __m256 ai = _mm256_broadcast_ss(a + i);
            sum[i][0] = _mm256_fmadd_ps(ai, b0, sum[i][0]);
            sum[i][1] = _mm256_fmadd_ps(ai, b1, sum[i][1]);
        }
    }
    UNROLL for (int i = 0; i < MR; i++) {
        _mm256_storeu_ps(c + (size_t)i * ldc, sum[i][0]);
        _mm256_storeu_ps(c + (size_t)i * ldc + 8, sum[i][1]);
    }
}

INLINE void store_pairs(__m256 low, __m256 high, float *even, float *odd) {
    _mm256_storeu_ps(even, _mm256_shuffle_ps(low, high, 0x44));
    _mm256_storeu_ps(odd, _mm256_shuffle_ps(low, high, 0xEE));
}

/* Numbers 0 .. 3 of 8 rows become 4 rows of 8. */
INLINE void transpose_4_8(const float *from, size_t step, float *to, size_t to_step) {
    __m256 row[4]; /* i, and i + 4 */
    UNROLL for (size_t i = 0; i < 4; i++) {
        row[i] = _mm256_castps128_ps256(_mm_loadu_ps(from + i * step));
        row[i] = _mm256_insertf128_ps(row[i], _mm_loadu_ps(from + (i + 4) * step), 1);
    }
    store_pairs(_mm256_unpacklo_ps(row[0], row[1]), _mm256_unpacklo_ps(row[2], row[3]), to,
                to + to_step);
    store_pairs(_mm256_unpackhi_ps(row[0], row[1]), _mm256_unpackhi_ps(row[2], row[3]),
                to + 2 * to_step, to + 3 * to_step);
}

AVX2 void pack_rows_avx2(const float *from, size_t step, size_t lanes, size_t k, float *to) {
    size_t whole = lanes % 8 ? 0 : k - k % 4;
    for (size_t i = 0; i < lanes && whole; i += 8)
        for (size_t p = 0; p < whole; p += 4)
            transpose_4_8(from + i * step + p, step, to + p * lanes + i, lanes);
    if (whole < k) pack_rows_scalar(from + whole, step, lanes, k - whole, to + whole * lanes);
}
#endif
