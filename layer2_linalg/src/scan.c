/* scan.c - see scan.h. */
#include "scan.h"
#include "kernels/kernel_table.h"
#include "simd/scan_lanes.h"

#include <math.h>

void exp_lanes_scalar(ExpLanes *lanes, const float *x, size_t n, float shift) {
    for (size_t i = 0; i < n; i++) {
        float d = x[i] - shift, e = 0;
        if (d < SCAN_LOWEST) continue;
        vector_exp_scalar(&e, &d, 0, 1);
        lanes->sum[i % SCAN_LANES] += e;
        lanes->weighted[i % SCAN_LANES] += d * e;
        lanes->squares[i % SCAN_LANES] += e * e;
    }
}

static size_t chunk_at(size_t i, size_t n) { return n - i < SCAN_CHUNK ? n - i : SCAN_CHUNK; }

/* Each chunk has its own lanes, which are folded into the total. */
ExpSums scan_exp_by(ExpLanesOf *take, const float *x, size_t n, float shift) {
    ExpSums total = {0};
    for (size_t i = 0; i < n; i += SCAN_CHUNK) {
        ExpLanes lanes = {0};
        take(&lanes, x + i, chunk_at(i, n), shift);
        total.sum += (double)fold_lanes(lanes.sum);
        total.weighted += (double)fold_lanes(lanes.weighted);
        total.squares += (double)fold_lanes(lanes.squares);
    }
    return total;
}

void moment_lanes_scalar(MomentLanes *lanes, const float *x, size_t n, float shift) {
    for (size_t i = 0; i < n; i++) {
        if (x[i] == -INFINITY) continue;
        float d = x[i] - shift;
        lanes->count++;
        lanes->sum[i % SCAN_LANES] += d;
        lanes->squares[i % SCAN_LANES] += d * d;
    }
}

Moments scan_moments_by(MomentLanesOf *take, const float *x, size_t n, float shift) {
    Moments total = {0};
    for (size_t i = 0; i < n; i += SCAN_CHUNK) {
        MomentLanes lanes = {0};
        take(&lanes, x + i, chunk_at(i, n), shift);
        total.count += lanes.count;
        total.sum += (double)fold_lanes(lanes.sum);
        total.squares += (double)fold_lanes(lanes.squares);
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
    return scan_exp_by(kernels()->exp_lanes, x, n, shift);
}

Moments scan_moments(const float *x, size_t n, float shift) {
    return scan_moments_by(kernels()->moment_lanes, x, n, shift);
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
