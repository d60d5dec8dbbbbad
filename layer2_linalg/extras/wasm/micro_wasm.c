/* micro_wasm.c - the micro-kernel of the packed product: 4 rows by 8 columns of C in 8
 * registers (WebAssembly).  Read micro_avx2.c first. */
#include "kernel_types_extras.h"

#if defined(__wasm__)
#include "wasm.h"

SIMD128 void micro_wasm(size_t k, const float *a, const float *b, float *c, size_t ldc,
                        bool add) {
    enum { MR = MICRO_ROWS_wasm, NR = MICRO_COLS_wasm, NV = NR / 4 };
    v128_t sum[MR][NV];
    UNROLL for (int i = 0; i < MR; i++) UNROLL for (int j = 0; j < NV; j++) {
        sum[i][j] =
            add ? wasm_v128_load(c + (size_t)i * ldc + 4 * j) : wasm_f32x4_const_splat(0);
    }
    for (size_t p = 0; p < k; p++, a += MR, b += NR) {
        v128_t in[NV];
        UNROLL for (int j = 0; j < NV; j++) in[j] = wasm_v128_load(b + 4 * j);
        UNROLL for (int i = 0; i < MR; i++) UNROLL for (int j = 0; j < NV; j++) {
            sum[i][j] =
                wasm_f32x4_add(sum[i][j], wasm_f32x4_mul(in[j], wasm_f32x4_splat(a[i])));
        }
    }
    UNROLL for (int i = 0; i < MR; i++) UNROLL for (int j = 0; j < NV; j++) {
        wasm_v128_store(c + (size_t)i * ldc + 4 * j, sum[i][j]);
    }
}
#endif
