/* scan_avx2.c - the scans, two registers of eight lanes at a time.  Read scan.c first.
 *
 *     register 0: lanes 0..7     register 1: lanes 8..15     so 16 numbers a round: scan.h
 */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "exp_avx2.h"
#include "../simd/scan_lanes.h"

#include <math.h>
#include <stdbool.h>

#define BMI2 __attribute__((target("avx2,fma,bmi,bmi2")))

/* Sums over 8 * count numbers; register r has the lanes of r mod 2. */
INLINE void add_exps(const float *x, __m256 shift, int count, __m256 sum[2], __m256 weighted[2],
                     __m256 squares[2]) {
    __m256 counts[4], d[4], e[4];
    UNROLL for (int r = 0; r < count; r++) {
        d[r] = _mm256_sub_ps(_mm256_loadu_ps(x + 8 * r), shift);
        counts[r] =
            _mm256_cmp_ps(d[r], _mm256_set1_ps(SCAN_LOWEST), _CMP_NLT_UQ); /* NaN does */
        e[r] = d[r] = _mm256_and_ps(counts[r], d[r]);
    }
    exp_registers_near(e, count);
    UNROLL for (int r = 0; r < count; r++) {
        e[r] = _mm256_and_ps(counts[r], e[r]);
        sum[r % 2] = _mm256_add_ps(sum[r % 2], e[r]);
        weighted[r % 2] = _mm256_add_ps(weighted[r % 2], _mm256_mul_ps(d[r], e[r]));
        squares[r % 2] = _mm256_add_ps(squares[r % 2], _mm256_mul_ps(e[r], e[r]));
    }
}

AVX2 void exp_lanes_avx2(ExpLanes *lanes, const float *x, size_t n, float shift) {
    const __m256 minus = _mm256_set1_ps(shift), zero = _mm256_setzero_ps();
    __m256 sum[2] = {zero, zero}, weighted[2] = {zero, zero}, squares[2] = {zero, zero};
    size_t i = 0;
    for (; i + 32 <= n; i += 32) add_exps(x + i, minus, 4, sum, weighted, squares);
    for (; i + 16 <= n; i += 16) add_exps(x + i, minus, 2, sum, weighted, squares);
    UNROLL for (size_t r = 0; r < 2; r++) {
        _mm256_storeu_ps(lanes->sum + 8 * r, sum[r]);
        _mm256_storeu_ps(lanes->weighted + 8 * r, weighted[r]);
        _mm256_storeu_ps(lanes->squares + 8 * r, squares[r]);
    }
    exp_lanes_scalar(lanes, x + i, n - i, shift);
}

AVX2 void moment_lanes_avx2(MomentLanes *lanes, const float *x, size_t n, float shift) {
    __m256 minus = _mm256_set1_ps(shift), none = _mm256_set1_ps(-INFINITY);
    __m256 sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()}, squares[2] = {sum[0], sum[0]};
    size_t i = 0, count = 0;
    for (; i + 16 <= n; i += 16) UNROLL for (size_t r = 0; r < 2; r++) {
            __m256 v = _mm256_loadu_ps(x + i + 8 * r),
                   some = _mm256_cmp_ps(v, none, _CMP_NEQ_UQ),
                   d = _mm256_and_ps(some, _mm256_sub_ps(v, minus));
            count += (size_t)__builtin_popcount((unsigned)_mm256_movemask_ps(some));
            sum[r] = _mm256_add_ps(sum[r], d);
            squares[r] = _mm256_add_ps(squares[r], _mm256_mul_ps(d, d));
        }
    UNROLL for (size_t r = 0; r < 2; r++) {
        _mm256_storeu_ps(lanes->sum + 8 * r, sum[r]);
        _mm256_storeu_ps(lanes->squares + 8 * r, squares[r]);
    }
    lanes->count = count;
    moment_lanes_scalar(lanes, x + i, n - i, shift);
}

AVX2 void scan_segment_max_avx2(const float *x, size_t n, float *out) {
    size_t i = 0;
    for (; i + SCAN_SEGMENT <= n; i += SCAN_SEGMENT) {
        __m256 max = _mm256_loadu_ps(x + i), odd = _mm256_cmp_ps(max, max, _CMP_UNORD_Q);
        for (size_t k = 8; k < SCAN_SEGMENT; k += 8) {
            __m256 v = _mm256_loadu_ps(x + i + k);
            max = _mm256_max_ps(max, v);
            odd = _mm256_or_ps(odd, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
        }
        *out++ = _mm256_movemask_ps(odd) ? NAN : largest_lane(max);
    }
    scan_segment_max_scalar(x + i, n - i, out);
}

/* The indices of the lanes in a mask: PEXT gathers those of the bytes 0..7 whose mask byte is
 * FF. */
BMI2 static inline __m256i lanes_of(unsigned mask) {
    uint64_t wide = _pdep_u64(mask, 0x0101010101010101u) * 0xFF;
    uint64_t lanes = _pext_u64(0x0706050403020100u, wide);
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lanes));
}

/* Store eight numbers and ids, those in the mask first.  The rest of the register is
 * overwritten by the next call. */
BMI2 static inline void put_eight(__m256 v, __m256i id, unsigned mask, float *out,
                                  int32_t *out_ids) {
    __m256i lanes = lanes_of(mask);
    _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(v, lanes));
    _mm256_storeu_si256((__m256i *)out_ids, _mm256_permutevar8x32_epi32(id, lanes));
}

/* Survivors are often rare, so most rounds end at the first test; after it, four registers are
 * stored without further tests, which would be mispredicted.  No more numbers are kept than
 * were read, so a whole register never passes the end of out. */
INLINE_OF(BMI2)
size_t keep(const float *x, const int32_t *ids, size_t n, float threshold, float *out,
            int32_t *out_ids, bool below) {
    const __m256 min = _mm256_set1_ps(threshold);
    const __m256i eight = _mm256_set1_epi32(8);
    __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    size_t kept = 0, i = 0;
    for (; i + 32 <= n; i += 32) {
        unsigned masks[4], any = 0;
        __m256 v[4];
        __m256i id[4];
        UNROLL for (size_t r = 0; r < 4; r++) {
            v[r] = _mm256_loadu_ps(x + i + 8 * r);
            masks[r] = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(v[r], min, _CMP_GE_OQ)) ^
                       (below ? 0xFF : 0);
            any |= masks[r];
            id[r] = ids ? _mm256_loadu_si256((const __m256i *)(ids + i + 8 * r)) : index;
            index = _mm256_add_epi32(index, eight);
        }
        UNROLL for (size_t r = 0; any && r < 4; r++) {
            put_eight(v[r], id[r], masks[r], out + kept, out_ids + kept);
            kept += (size_t)__builtin_popcount(masks[r]);
        }
    }
    for (; i < n; i++) {
        if ((x[i] >= threshold) == below) continue;
        out_ids[kept] = ids ? ids[i] : (int32_t)i;
        out[kept++] = x[i];
    }
    return kept;
}

BMI2 size_t scan_keep_avx2(const float *x, const int32_t *ids, size_t n, float threshold,
                           float *out, int32_t *out_ids) {
    return ids ? keep(x, ids, n, threshold, out, out_ids, false)
               : keep(x, NULL, n, threshold, out, out_ids, false);
}

BMI2 size_t scan_below_avx2(const float *x, const int32_t *ids, size_t n, float threshold,
                            float *out, int32_t *out_ids) {
    return ids ? keep(x, ids, n, threshold, out, out_ids, true)
               : keep(x, NULL, n, threshold, out, out_ids, true);
}
#endif
