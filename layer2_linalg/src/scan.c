/* scan.c - see scan.h. */
#include "scan.h"
#include "kernels/kernel_table.h"
#include "simd/scan_lanes.h"

#include <math.h>

void exp_lanes_take(ExpLanes *lanes, const float *x, size_t n, float shift) {
    for (size_t i = 0; i < n; i++) {
        float d = x[i] - shift, e = 0;
        if (d < SCAN_LOWEST) continue;
        vector_exp_scalar(&e, &d, 0, 1);
        lanes->sum[i % SCAN_LANES] += e;
        lanes->weighted[i % SCAN_LANES] += d * e;
        lanes->squares[i % SCAN_LANES] += e * e;
    }
}

/* Each chunk has its own lanes, which exp_lanes_fold folds into the total. */
ExpSums scan_exp_scalar(const float *x, size_t n, float shift) {
    ExpSums total = {0};
    for (size_t i = 0; i < n; i += SCAN_CHUNK) {
        ExpLanes lanes = {0};
        exp_lanes_take(&lanes, x + i, chunk_at(i, n), shift);
        exp_lanes_fold(&total, &lanes);
    }
    return total;
}

void moment_lanes_take(MomentLanes *lanes, const float *x, size_t n, float shift) {
    for (size_t i = 0; i < n; i++) {
        if (x[i] == -INFINITY) continue;
        float d = x[i] - shift;
        lanes->count++;
        lanes->sum[i % SCAN_LANES] += d;
        lanes->squares[i % SCAN_LANES] += d * d;
    }
}

Moments scan_moments_scalar(const float *x, size_t n, float shift) {
    Moments total = {0};
    for (size_t i = 0; i < n; i += SCAN_CHUNK) {
        MomentLanes lanes = {0};
        moment_lanes_take(&lanes, x + i, chunk_at(i, n), shift);
        moment_lanes_fold(&total, &lanes);
    }
    return total;
}

void scan_segment_max_scalar(const float *x, size_t n, float *out) {
    for (size_t i = 0; i < n; i += SCAN_SEGMENT)
        *out++ = vector_max_scalar(x + i, n - i < SCAN_SEGMENT ? n - i : SCAN_SEGMENT);
}

size_t scan_keep_scalar(const float *x, const int32_t *ids, size_t n, float threshold,
                        float *out, int32_t *out_ids) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] >= threshold)) continue;
        out_ids[kept] = ids ? ids[i] : (int32_t)i;
        out[kept++] = x[i];
    }
    return kept;
}

size_t scan_below_scalar(const float *x, const int32_t *ids, size_t n, float threshold,
                         float *out, int32_t *out_ids) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (x[i] >= threshold) continue;
        out_ids[kept] = ids ? ids[i] : (int32_t)i;
        out[kept++] = x[i];
    }
    return kept;
}

ExpSums scan_exp(const float *x, size_t n, float shift) {
    return kernels()->scan_exp(x, n, shift);
}

Moments scan_moments(const float *x, size_t n, float shift) {
    return kernels()->scan_moments(x, n, shift);
}

void scan_segment_max(const float *x, size_t n, float *out) {
    kernels()->scan_segment_max(x, n, out);
}

size_t scan_keep(const float *x, const int32_t *ids, size_t n, float threshold, float *out,
                 int32_t *out_ids) {
    return kernels()->scan_keep(x, ids, n, threshold, out, out_ids);
}

size_t scan_below(const float *x, const int32_t *ids, size_t n, float threshold, float *out,
                  int32_t *out_ids) {
    return kernels()->scan_below(x, ids, n, threshold, out, out_ids);
}
