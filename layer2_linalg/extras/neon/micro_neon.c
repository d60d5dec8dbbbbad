/* micro_neon.c - the micro-kernel of the packed product: 6 rows by 16 columns of C in 24 of the
 * 32 registers (AArch64).  Read micro_avx2.c first. */
#include "kernel_types_extras.h"

#if defined(__aarch64__)
#include "neon.h"

void micro_neon(size_t k, const float *a, const float *b, float *c, size_t ldc, bool add) {
    enum { MR = MICRO_ROWS_neon, NR = MICRO_COLS_neon, NV = NR / 4 };
    float32x4_t sum[MR][NV];
    UNROLL for (int i = 0; i < MR; i++) UNROLL for (int j = 0; j < NV; j++) {
        sum[i][j] = add ? vld1q_f32(c + (size_t)i * ldc + 4 * j) : vdupq_n_f32(0);
    }
    for (size_t p = 0; p < k; p++, a += MR, b += NR) {
        float32x4_t in[NV];
        UNROLL for (int j = 0; j < NV; j++) in[j] = vld1q_f32(b + 4 * j);
        UNROLL for (int i = 0; i < MR; i++) UNROLL for (int j = 0; j < NV; j++) {
            sum[i][j] = vfmaq_n_f32(sum[i][j], in[j], a[i]);
        }
    }
    UNROLL for (int i = 0; i < MR; i++) UNROLL for (int j = 0; j < NV; j++) {
        vst1q_f32(c + (size_t)i * ldc + 4 * j, sum[i][j]);
    }
}
#endif
