/* quantized_avxvnni.c - products of a panel with VNNI on CPUs without AVX-512: sixteen rows as
 * two registers of eight.  Read quantized_vnni.c first.
 *
 * Six inputs keep twelve sums in flight; with weights and an input they fill the sixteen
 * registers, so the sums over groups stay in memory. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "vnni_template.h"
#include "avx2/inputs_avx2.h"
#include "avx2/maddubs_avx2.h"

#define AVXVNNI __attribute__((target("avx2,fma,f16c,avxvnni")))
#undef INLINE
#define INLINE INLINE_OF(AVXVNNI)

enum { COLS = 6 };

/* sum[c][r] += the products of quad `place`. */
INLINE void add_products(Shape s, const Panel *panel, int place, const int8_t *q,
                         __m256i sum[COLS][2]) {
    __m256i w[2];
    UNROLL for (int r = 0; r < 2; r++) {
        w[r] = load(panel->q[place][8 * r]);
        if (s.is_signed) w[r] = _mm256_xor_si256(w[r], _mm256_set1_epi8((char)0x80));
    }
    UNROLL for (int c = 0; c < s.cols; c++) {
        __m256i in = broadcast4(q + PANEL_COLS * c + 4 * place);
        UNROLL for (int r = 0; r < 2; r++) {
            sum[c][r] = _mm256_dpbusd_avx_epi32(sum[c][r], w[r], in);
            KEEP_IN_REGISTER(sum[c][r]);
        }
    }
}

/* y[c] += group g, given its integer sums. */
INLINE void add_scaled(Shape s, const Panel *panel, InputTile x, const InputTerms *terms, int g,
                       __m256i sum[COLS][2], float (*y)[PANEL_ROWS]) {
    UNROLL for (int c = 0; c < s.cols; c++) UNROLL for (int r = 0; r < 2; r++) {
        __m256 acc = _mm256_loadu_ps(y[c] + 8 * r),
               scale = _mm256_mul_ps(_mm256_loadu_ps(panel->scale[g] + 8 * r),
                                     _mm256_broadcast_ss(x.d + g * s.group / 32 + 8 * c));
        acc = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[c][r]), scale, acc);
        if (s.min)
            acc = _mm256_fmadd_ps(_mm256_loadu_ps(panel->min[g] + 8 * r),
                                  _mm256_broadcast_ss(terms[c].total + g), acc);
        _mm256_storeu_ps(y[c] + 8 * r, acc);
    }
}

INLINE void tile(Shape s, const Panel *panel, const QuantFormat *f, InputTile x,
                 float (*y)[PANEL_ROWS]) {
    const int offset = s.is_signed ? f->offset + 128 : f->offset;
    InputTerms terms[COLS];
    for (int c = 0; c < s.cols; c++)
        input_terms(input_tile_after(x, (size_t)c), offset, s.group, &terms[c]);
    for (int g = 0; g < (int)x.n / s.group; g++) {
        __m256i sum[COLS][2];
        UNROLL for (int c = 0; c < s.cols; c++) {
            sum[c][0] = sum[c][1] = _mm256_set1_epi32(terms[c].start[g]);
        }
        UNROLL for (int quad = 0; quad < s.group / 4; quad++) {
            add_products(s, panel, g * s.group / 4 + quad, x.q, sum);
        }
        add_scaled(s, panel, x, terms, g, sum, y);
    }
}

/* One panel with all inputs. */
INLINE void panel_product(Shape s, const Panel *panel, const QuantFormat *f, InputTile x,
                          float (*y)[PANEL_ROWS]) {
    for (s.cols = 6; x.count >= 6; x = input_tile_after(x, 6), y += 6) tile(s, panel, f, x, y);
    for (s.cols = 4; x.count >= 4; x = input_tile_after(x, 4), y += 4) tile(s, panel, f, x, y);
    for (s.cols = 1; x.count; x = input_tile_after(x, 1), y += 1) tile(s, panel, f, x, y);
}

INLINE void product(Shape s, const Panel *panels, size_t count, const QuantFormat *f,
                    InputTile x, float (*y)[PANEL_ROWS]) {
    for (size_t p = 0; p < count; p++) panel_product(s, panels + p, f, x, y + p * x.count);
}

VNNI_PRODUCTS(AVXVNNI, panel_product_avxvnni)
#endif
