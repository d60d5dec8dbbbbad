/* scan_avx2.c - the scans, two registers of eight lanes at a time.  Read scan.c first.
 *
 *     register 0: lanes 0..7     register 1: lanes 8..15     so 16 numbers a round, as scan.h draws it
 */
#include "scan.h"

#if defined(__x86_64__)
#include "exp_avx2.h"
#include "scan_lanes.h"
#include "vector.h"

#include <math.h>

AVX2 static void exp_chunk(ExpLanes *lanes, const float *x, size_t n, float shift) {
    __m256 minus = _mm256_set1_ps(shift), lowest = _mm256_set1_ps(EXP_LOWEST);
    __m256 sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()}, weighted[2] = {sum[0], sum[0]},
           squares[2] = {sum[0], sum[0]};
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t r = 0; r < 2; r++) {
            __m256 d = _mm256_sub_ps(_mm256_loadu_ps(x + i + 8 * r), minus);
            d = _mm256_max_ps(lowest, d); /* NaN, the second operand, passes */
            __m256 e = exp_eight(d);
            sum[r] = _mm256_add_ps(sum[r], e);
            weighted[r] = _mm256_add_ps(weighted[r], _mm256_mul_ps(d, e));
            squares[r] = _mm256_add_ps(squares[r], _mm256_mul_ps(e, e));
        }
    for (size_t r = 0; r < 2; r++) {
        _mm256_storeu_ps(lanes->sum + 8 * r, sum[r]);
        _mm256_storeu_ps(lanes->weighted + 8 * r, weighted[r]);
        _mm256_storeu_ps(lanes->squares + 8 * r, squares[r]);
    }
    exp_lanes_add(lanes, x + i, n - i, shift);
}

AVX2 ExpSums scan_exp_avx2(const float *x, size_t n, float shift) {
    ExpSums total = {0};
    for (size_t i = 0; i < n; i += SCAN_CHUNK) {
        ExpLanes lanes;
        exp_chunk(&lanes, x + i, chunk_at(i, n), shift);
        add_exp_lanes(&total, &lanes);
    }
    return total;
}

AVX2 static void moment_chunk(MomentLanes *lanes, const float *x, size_t n, float shift) {
    __m256 minus = _mm256_set1_ps(shift), none = _mm256_set1_ps(-INFINITY);
    __m256 sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()}, squares[2] = {sum[0], sum[0]};
    size_t i = 0, count = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t r = 0; r < 2; r++) {
            __m256 v = _mm256_loadu_ps(x + i + 8 * r),
                   some = _mm256_cmp_ps(v, none, _CMP_NEQ_UQ),
                   d = _mm256_and_ps(some, _mm256_sub_ps(v, minus));
            count += (size_t)__builtin_popcount((unsigned)_mm256_movemask_ps(some));
            sum[r] = _mm256_add_ps(sum[r], d);
            squares[r] = _mm256_add_ps(squares[r], _mm256_mul_ps(d, d));
        }
    for (size_t r = 0; r < 2; r++) {
        _mm256_storeu_ps(lanes->sum + 8 * r, sum[r]);
        _mm256_storeu_ps(lanes->squares + 8 * r, squares[r]);
    }
    lanes->count = count;
    moment_lanes_add(lanes, x + i, n - i, shift);
}

AVX2 Moments scan_moments_avx2(const float *x, size_t n, float shift) {
    Moments total = {0};
    for (size_t i = 0; i < n; i += SCAN_CHUNK) {
        MomentLanes lanes;
        moment_chunk(&lanes, x + i, chunk_at(i, n), shift);
        add_moment_lanes(&total, &lanes);
    }
    return total;
}

AVX2 static float largest_lane(__m256 v) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

AVX2 void scan_block_max_avx2(const float *x, size_t n, float *out) {
    size_t i = 0;
    for (; i + SCAN_BLOCK <= n; i += SCAN_BLOCK) {
        __m256 max = _mm256_loadu_ps(x + i), odd = _mm256_cmp_ps(max, max, _CMP_UNORD_Q);
        for (size_t k = 8; k < SCAN_BLOCK; k += 8) {
            __m256 v = _mm256_loadu_ps(x + i + k);
            max = _mm256_max_ps(max, v);
            odd = _mm256_or_ps(odd, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
        }
        *out++ = _mm256_movemask_ps(odd) ? NAN : largest_lane(max);
    }
    scan_block_max_scalar(x + i, n - i, out);
}

/* Survivors are rare, so most rounds end at the first test. */
AVX2 size_t scan_keep_avx2(const float *x, const int32_t *ids, size_t n, float threshold,
                           float *out, int32_t *out_ids) {
    __m256 least = _mm256_set1_ps(threshold);
    size_t kept = 0, i = 0;
    for (; i + 32 <= n; i += 32) {
        unsigned mask = 0;
        for (size_t r = 0; r < 4; r++) {
            __m256 v = _mm256_loadu_ps(x + i + 8 * r);
            mask |= (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(v, least, _CMP_GE_OQ))
                    << (8 * r);
        }
        for (; mask; mask &= mask - 1) {
            size_t at = i + (size_t)__builtin_ctz(mask);
            out_ids[kept] = ids ? ids[at] : (int32_t)at;
            out[kept++] = x[at];
        }
    }
    for (; i < n; i++) {
        if (!(x[i] >= threshold)) continue;
        out_ids[kept] = ids ? ids[i] : (int32_t)i;
        out[kept++] = x[i];
    }
    return kept;
}
#endif
