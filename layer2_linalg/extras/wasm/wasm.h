/* wasm.h - shared by the WebAssembly siblings.
 *
 * SIMD128 has registers of 16 bytes and no fused multiply-add: a product is rounded before it
 * is added.  The bits are the same in every engine. */
#ifndef STRATA_WASM_H
#define STRATA_WASM_H

#include "simd/hints.h"

#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#define SIMD128 __attribute__((target("simd128")))
#define INLINE  INLINE_OF(SIMD128)

/* Four halves as f32.
 *
 *     half   s eeeee mmmmmmmmmm            shifted left by 13, without sign: a float that is
 *     float  s eeeeeeee mmmmmmmmmm...      2^112 times too small; for infinity and NaN set
 *                                      all exponent bits */
INLINE v128_t widen_halves(v128_t half) {
    v128_t rest = wasm_i32x4_shl(wasm_v128_and(half, wasm_i32x4_const_splat(0x7fff)), 13),
           sign = wasm_i32x4_shl(wasm_v128_and(half, wasm_i32x4_const_splat(0x8000)), 16),
           special = wasm_i32x4_gt(rest, wasm_i32x4_const_splat(0x0f7fffff)),
           value = wasm_f32x4_mul(rest, wasm_f32x4_const_splat(0x1p112f));
    value = wasm_v128_or(value, wasm_v128_and(special, wasm_i32x4_const_splat(0x7f800000)));
    return wasm_v128_or(value, sign);
}

INLINE v128_t load_halves(const void *from) { return widen_halves(wasm_u32x4_load16x4(from)); }

/* Add lanes 2 and 3 to 0 and 1, then lane 1 to 0. */
#define UPPER_HALF(v)  wasm_i32x4_shuffle(v, v, 2, 3, 2, 3)
#define SECOND_LANE(v) wasm_i32x4_shuffle(v, v, 1, 1, 1, 1)

#endif
