/* scan_avx512.c - the scans, one register of sixteen lanes.  Read scan.c first. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "exp_avx512.h"
#include "simd/scan_lanes.h"

#include <math.h>
#include <stdbool.h>

/* Sums over 16 * count numbers: exponentials in step, then added in order. */
INLINE void add_exps(const float *x, __m512 shift, int count, __m512 *sum, __m512 *weighted,
                     __m512 *squares) {
    const __m512 lowest = _mm512_set1_ps(SCAN_LOWEST);
    __m512 d[4], e[4];
    __mmask16 counts[4];
    UNROLL for (int r = 0; r < count; r++) {
        d[r] = _mm512_sub_ps(_mm512_loadu_ps(x + 16 * r), shift);
        counts[r] = _mm512_cmp_ps_mask(d[r], lowest, _CMP_NLT_UQ); /* NaN does */
        e[r] = d[r] = _mm512_maskz_mov_ps(counts[r], d[r]);
    }
    exp_registers_near(e, count);
    UNROLL for (int r = 0; r < count; r++) {
        e[r] = _mm512_maskz_mov_ps(counts[r], e[r]);
        *sum = _mm512_add_ps(*sum, e[r]);
        *weighted = _mm512_add_ps(*weighted, _mm512_mul_ps(d[r], e[r]));
        *squares = _mm512_add_ps(*squares, _mm512_mul_ps(e[r], e[r]));
    }
}

AVX512 void exp_lanes_avx512(ExpLanes *lanes, const float *x, size_t n, float shift) {
    const __m512 minus = _mm512_set1_ps(shift);
    __m512 sum = _mm512_setzero_ps(), weighted = sum, squares = sum;
    size_t i = 0;
    for (; i + 64 <= n; i += 64) add_exps(x + i, minus, 4, &sum, &weighted, &squares);
    for (; i + 16 <= n; i += 16) add_exps(x + i, minus, 1, &sum, &weighted, &squares);
    _mm512_storeu_ps(lanes->sum, sum);
    _mm512_storeu_ps(lanes->weighted, weighted);
    _mm512_storeu_ps(lanes->squares, squares);
    exp_lanes_scalar(lanes, x + i, n - i, shift);
}

AVX512 void moment_lanes_avx512(MomentLanes *lanes, const float *x, size_t n, float shift) {
    __m512 minus = _mm512_set1_ps(shift), none = _mm512_set1_ps(-INFINITY);
    __m512 sum = _mm512_setzero_ps(), squares = sum;
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512 v = _mm512_loadu_ps(x + i);
        __mmask16 some = _mm512_cmp_ps_mask(v, none, _CMP_NEQ_UQ);
        __m512 d = _mm512_maskz_sub_ps(some, v, minus);
        lanes->count += (size_t)__builtin_popcount(some);
        sum = _mm512_add_ps(sum, d);
        squares = _mm512_add_ps(squares, _mm512_mul_ps(d, d));
    }
    _mm512_storeu_ps(lanes->sum, sum);
    _mm512_storeu_ps(lanes->squares, squares);
    moment_lanes_scalar(lanes, x + i, n - i, shift);
}

AVX512 void scan_segment_max_avx512(const float *x, size_t n, float *out) {
    size_t i = 0;
    for (; i + SCAN_SEGMENT <= n; i += SCAN_SEGMENT) {
        __m512 a = _mm512_loadu_ps(x + i), b = _mm512_loadu_ps(x + i + 16),
               c = _mm512_loadu_ps(x + i + 32), d = _mm512_loadu_ps(x + i + 48);
        __mmask16 odd = (__mmask16)(_mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q) |
                                    _mm512_cmp_ps_mask(c, d, _CMP_UNORD_Q));
        *out++ =
            odd ? NAN
                : _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(a, b), _mm512_max_ps(c, d)));
    }
    scan_segment_max_scalar(x + i, n - i, out);
}

/* COMPRESS stores the lanes in a mask side by side. */
INLINE size_t keep(const float *x, const int32_t *ids, size_t n, float threshold, float *out,
                   int32_t *out_ids, bool below) {
    __m512 min = _mm512_set1_ps(threshold);
    __m512i steps = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    size_t kept = 0;
    for (size_t i = 0; i < n; i += 16) {
        __mmask16 there = n - i < 16 ? (__mmask16)((1u << (n - i)) - 1) : (__mmask16)0xFFFF;
        __m512 v = _mm512_maskz_loadu_ps(there, x + i);
        __mmask16 mask = below ? _mm512_mask_cmp_ps_mask(there, v, min, _CMP_NGE_UQ)
                               : _mm512_mask_cmp_ps_mask(there, v, min, _CMP_GE_OQ);
        if (!mask) continue;
        __m512i id = ids ? _mm512_maskz_loadu_epi32(there, ids + i)
                         : _mm512_add_epi32(steps, _mm512_set1_epi32((int)i));
        _mm512_mask_compressstoreu_ps(out + kept, mask, v);
        _mm512_mask_compressstoreu_epi32(out_ids + kept, mask, id);
        kept += (size_t)__builtin_popcount(mask);
    }
    return kept;
}

AVX512 size_t scan_keep_avx512(const float *x, const int32_t *ids, size_t n, float threshold,
                               float *out, int32_t *out_ids) {
    return keep(x, ids, n, threshold, out, out_ids, false);
}

AVX512 size_t scan_below_avx512(const float *x, const int32_t *ids, size_t n, float threshold,
                                float *out, int32_t *out_ids) {
    return keep(x, ids, n, threshold, out, out_ids, true);
}
#endif
