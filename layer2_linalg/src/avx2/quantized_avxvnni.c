/* quantized_avxvnni.c - products of a panel with VNNI on CPUs without AVX-512: sixteen rows as two
 * registers of eight.  Read quantized_vnni.c first.
 *
 * Six columns keep twelve sums under way; with the weights and an input they fill the sixteen
 * registers, so what is added up over the groups waits in memory. */
#include "../kernel_types.h"
#include "../simd/unroll.h"
#include "../simd/vnni.h"

#if defined(__x86_64__)
#include "avx2.h"
#include "inputs_avx2.h"
#include "pairs_avx2.h"

#define AVXVNNI __attribute__((target("avx2,fma,f16c,avxvnni")))

enum { COLS = 6 };

/* sum[c][r] += the products of quad `place`. */
INLINE_OF(AVXVNNI)
void add_products(Shape s, const Panel *panel, int place, const int8_t *q,
                  __m256i sum[COLS][2]) {
    __m256i w[2];
    UNROLL for (int r = 0; r < 2; r++) {
        w[r] = _mm256_loadu_si256((const __m256i *)panel->q[place][8 * r]);
        if (s.is_signed) w[r] = _mm256_xor_si256(w[r], _mm256_set1_epi8((char)0x80));
    }
    UNROLL for (int c = 0; c < s.cols; c++) {
        __m256i in = four(q + LEVELS_CHUNK * c + 4 * place);
        UNROLL for (int r = 0; r < 2; r++) {
            sum[c][r] = _mm256_dpbusd_avx_epi32(sum[c][r], w[r], in);
            IN_ORDER(sum[c][r]);
        }
    }
}

INLINE_OF(AVXVNNI)
void tile(Shape s, const Panel *panel, const QuantFormat *f, size_t n, const int8_t *q,
          const float *d, const int16_t *sums, float (*y)[PANEL_ROWS]) {
    const int offset = s.is_signed ? f->offset + 128 : f->offset;
    int32_t start[COLS][LEVELS_GROUPS];
    float total[COLS][LEVELS_GROUPS];
    for (int c = 0; c < s.cols; c++)
        prepare(sums + 16 * c, d + 8 * c, offset, s.group, start[c], total[c]);
    for (int g = 0; g < (int)n / s.group; g++) {
        __m256i sum[COLS][2];
        UNROLL for (int c = 0; c < s.cols; c++) sum[c][0] = sum[c][1] =
            _mm256_set1_epi32(start[c][g]);
        UNROLL for (int quad = 0; quad < s.group / 4; quad++)
            add_products(s, panel, g * s.group / 4 + quad, q, sum);
        UNROLL for (int c = 0; c < s.cols; c++) UNROLL for (int r = 0; r < 2; r++) {
            __m256 acc = _mm256_loadu_ps(y[c] + 8 * r),
                   scale = _mm256_mul_ps(_mm256_loadu_ps(panel->scale[g] + 8 * r),
                                         _mm256_broadcast_ss(d + g * s.group / 32 + 8 * c));
            acc = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[c][r]), scale, acc);
            if (s.min)
                acc = _mm256_fmadd_ps(_mm256_loadu_ps(panel->min[g] + 8 * r),
                                      _mm256_broadcast_ss(total[c] + g), acc);
            _mm256_storeu_ps(y[c] + 8 * r, acc);
        }
    }
}

#define TILE(COLS)                                                        \
    for (; c + COLS <= cols; c += COLS)                                   \
    tile((Shape){1, COLS, s.group, s.is_signed, s.min}, panels + p, f, n, \
         q + c * LEVELS_CHUNK, d + 8 * c, sums + 16 * c, y + p * cols + c)

INLINE_OF(AVXVNNI)
void product(Shape s, const Panel *panels, size_t count, const QuantFormat *f, size_t n,
             const int8_t *q, const float *d, const int16_t *sums, size_t cols,
             float (*y)[PANEL_ROWS]) {
    for (size_t p = 0; p < count; p++) {
        size_t c = 0;
        TILE(6);
        TILE(4);
        TILE(1);
    }
}

VNNI_PRODUCTS(AVXVNNI, avxvnni)
#endif
