/* exp_wasm.h - the registers of exp_template.h, four floats each; for vector_wasm.c,
 * scan_wasm.c. */
#ifndef STRATA_EXP_WASM_H
#define STRATA_EXP_WASM_H

#include "wasm.h"

enum { FLOATS = 4 };
typedef v128_t Floats, Ints;

INLINE v128_t load(const float *x) { return wasm_v128_load(x); }
INLINE void store(float *x, v128_t v) { wasm_v128_store(x, v); }
INLINE v128_t set(float x) { return wasm_f32x4_splat(x); }
INLINE v128_t add(v128_t a, v128_t b) { return wasm_f32x4_add(a, b); }
INLINE v128_t sub(v128_t a, v128_t b) { return wasm_f32x4_sub(a, b); }
INLINE v128_t mul(v128_t a, v128_t b) { return wasm_f32x4_mul(a, b); }
INLINE v128_t at_most(v128_t v, float x) { return wasm_f32x4_min(v, set(x)); }
INLINE v128_t at_least(v128_t v, float x) { return wasm_f32x4_max(v, set(x)); }
INLINE v128_t to_ints(v128_t v) { return wasm_i32x4_trunc_sat_f32x4(v); }
INLINE v128_t halve_ints(v128_t m) { return wasm_i32x4_shr(m, 1); }
INLINE v128_t sub_ints(v128_t a, v128_t b) { return wasm_i32x4_sub(a, b); }
INLINE v128_t power_of_two(v128_t m) {
    return wasm_i32x4_shl(wasm_i32x4_add(m, wasm_i32x4_const_splat(127)), 23);
}

#include "simd/exp_template.h"

#endif
