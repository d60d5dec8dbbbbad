/* scan_wasm.c - the scans, four registers of four lanes (WebAssembly).  Read scan.c first. */
#include "kernel_types_extras.h"

#if defined(__wasm__)
#include "exp_wasm.h"
#include "simd/scan_lanes.h"

#include <math.h>

/* Sixteen numbers: exponentials in step, then added to the lanes. */
INLINE void add_exps(const float *x, v128_t shift, ExpLanes *lanes) {
    v128_t d[4], e[4], counts[4];
    for (size_t r = 0; r < 4; r++) {
        d[r] = sub(load(x + 4 * r), shift);
        counts[r] = wasm_v128_not(wasm_f32x4_lt(d[r], set(SCAN_LOWEST))); /* NaN does */
        e[r] = d[r] = wasm_v128_and(counts[r], d[r]);
    }
    exp_registers_near(e, 4);
    for (size_t r = 0; r < 4; r++) {
        float *sum = lanes->sum + 4 * r, *weighted = lanes->weighted + 4 * r,
              *squares = lanes->squares + 4 * r;
        e[r] = wasm_v128_and(counts[r], e[r]);
        store(sum, add(load(sum), e[r]));
        store(weighted, add(load(weighted), mul(d[r], e[r])));
        store(squares, add(load(squares), mul(e[r], e[r])));
    }
}

SIMD128 void exp_lanes_wasm(ExpLanes *lanes, const float *x, size_t n, float shift) {
    const v128_t minus = set(shift);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) add_exps(x + i, minus, lanes);
    exp_lanes_scalar(lanes, x + i, n - i, shift);
}

SIMD128 void moment_lanes_wasm(MomentLanes *lanes, const float *x, size_t n, float shift) {
    const v128_t minus = set(shift), none = set(-INFINITY);
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t r = 0; r < 16; r += 4) {
            v128_t v = load(x + i + r), some = wasm_f32x4_ne(v, none),
                   d = wasm_v128_and(some, sub(v, minus));
            lanes->count += (size_t)__builtin_popcount(wasm_i32x4_bitmask(some));
            store(lanes->sum + r, add(load(lanes->sum + r), d));
            store(lanes->squares + r, add(load(lanes->squares + r), mul(d, d)));
        }
    moment_lanes_scalar(lanes, x + i, n - i, shift);
}

/* f32x4.max returns NaN if either operand is NaN. */
SIMD128 void scan_segment_max_wasm(const float *x, size_t n, float *out) {
    size_t i = 0;
    for (; i + SCAN_SEGMENT <= n; i += SCAN_SEGMENT) {
        v128_t max = load(x + i);
        for (size_t k = 4; k < SCAN_SEGMENT; k += 4) max = wasm_f32x4_max(max, load(x + i + k));
        max = wasm_f32x4_max(max, UPPER_HALF(max));
        *out++ = wasm_f32x4_extract_lane(wasm_f32x4_max(max, SECOND_LANE(max)), 0);
    }
    scan_segment_max_scalar(x + i, n - i, out);
}

/* Survivors are rare, so most rounds end at the first test. */
SIMD128 size_t scan_keep_wasm(const float *x, const int32_t *ids, size_t n, float threshold,
                              float *out, int32_t *out_ids) {
    v128_t min = set(threshold);
    size_t kept = 0;
    for (size_t i = 0; i < n; i += 16) {
        const bool whole = i + 16 <= n;
        v128_t any = set(0);
        for (size_t r = 0; whole && r < 16; r += 4)
            any = wasm_v128_or(any, wasm_f32x4_ge(load(x + i + r), min));
        if (whole && !wasm_v128_any_true(any)) continue;
        for (size_t k = i; k < n && k < i + 16; k++) {
            if (!(x[k] >= threshold)) continue;
            out_ids[kept] = ids ? ids[k] : (int32_t)k;
            out[kept++] = x[k];
        }
    }
    return kept;
}
#endif
