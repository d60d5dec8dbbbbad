/* quantized_avx2.c - products of a panel, sixteen rows as two registers of eight.  Read
 * quantized.c first.
 *
 *     w       |row0 k0 k1 k2 k3|row1 k0 k1 k2 k3| ...       32 bytes
 *     x       |     k0 k1 k2 k3|     k0 k1 k2 k3| ...       the same four inputs in every lane
 *     maddubs |  k0+k1 |  k2+k3|  k0+k1 |  k2+k3| ...       unsigned times signed, in pairs: 16-bit sums
 *     madd    |      row0      |      row1      | ...       pairs of these: one 32-bit sum a row
 *
 * A 16-bit sum has room for 32767.  Levels up to 15 leave room for all 8 quads of a block
 * (8 * 2 * 15 * 127 = 30480), up to 31 for 4, up to 63 for 2; then one madd serves so many quads.  Signed bytes
 * have room for one: |w| times x with the sign of w. */
#include "quantized.h"
#include "unroll.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define AVX2   __attribute__((target("avx2,fma")))
#define INLINE static inline __attribute__((always_inline)) AVX2

INLINE __m256i four(const int8_t *q) {
    int bytes;
    memcpy(&bytes, q, 4);
    return _mm256_set1_epi32(bytes);
}

INLINE __m256i pairs(__m256i w, __m256i x, bool is_signed) {
    return is_signed ? _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w))
                     : _mm256_maddubs_epi16(w, x);
}

/* sum[i][c] += the products of `quads` quads, `room` of them at a time in 16 bits. */
INLINE void add_products(__m256i sum[2][4], const int8_t (*w)[PANEL_ROWS][4], const int8_t *x,
                         size_t k, int C, int quads, int room) {
    const __m256i ones = _mm256_set1_epi16(1);
    UNROLL for (int at = 0; at < quads; at += room) {
        __m256i part[2][4];
        UNROLL for (int j = 0; j < room; j++) {
            const int8_t *row = w[at + j][0];
            __m256i w0 = _mm256_loadu_si256((const __m256i *)row),
                    w1 = _mm256_loadu_si256((const __m256i *)(row + 32));
            UNROLL for (int c = 0; c < C; c++) {
                __m256i in = four(x + (size_t)c * k + 4 * (size_t)(at + j));
                __m256i p0 = pairs(w0, in, room == 1), p1 = pairs(w1, in, room == 1);
                part[0][c] = j ? _mm256_add_epi16(part[0][c], p0) : p0;
                part[1][c] = j ? _mm256_add_epi16(part[1][c], p1) : p1;
            }
        }
        UNROLL for (int c = 0; c < C; c++) UNROLL for (int i = 0; i < 2; i++) sum[i][c] =
            _mm256_add_epi32(sum[i][c], _mm256_madd_epi16(part[i][c], ones));
    }
}

/* C columns from `column` on. */
INLINE void tile(const Panel *panel, const QuantFormat *f, size_t n, const Columns *x,
                 size_t first, size_t column, float *y, size_t stride, int C, int group,
                 int room) {
    size_t at = column * x->k + first;
    __m256 acc[2][4];
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int i = 0; i < 2; i++) acc[i][c] =
        _mm256_loadu_ps(y + (size_t)c * stride + 8 * i);
    for (size_t g = 0; g < n / (size_t)group; g++) {
        __m256i sum[2][4], inputs[4];
        UNROLL for (int c = 0; c < C; c++) {
            const int16_t *halves = x->sum + (at + (size_t)c * x->k + g * (size_t)group) / 16;
            int total = group == 16 ? halves[0] : halves[0] + halves[1];
            inputs[c] = _mm256_set1_epi32(total);
            sum[0][c] = sum[1][c] = _mm256_set1_epi32(-f->offset * total);
        }
        add_products(sum, panel->q + g * (size_t)group / 4, x->q + at + g * (size_t)group, x->k,
                     C, group / 4, room);
        UNROLL for (int c = 0; c < C; c++) {
            __m256 d = _mm256_broadcast_ss(
                x->d + (at + (size_t)c * x->k + g * (size_t)group) / 32);
            UNROLL for (int i = 0; i < 2; i++) acc[i][c] = _mm256_fmadd_ps(
                _mm256_cvtepi32_ps(sum[i][c]),
                _mm256_mul_ps(_mm256_loadu_ps(panel->scale[g] + 8 * i), d), acc[i][c]);
            if (f->min) UNROLL for (int i = 0; i < 2; i++) acc[i][c] = _mm256_fmadd_ps(
                    _mm256_cvtepi32_ps(inputs[c]),
                    _mm256_mul_ps(_mm256_loadu_ps(panel->min[g] + 8 * i), d), acc[i][c]);
        }
    }
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int i = 0; i < 2; i++)
        _mm256_storeu_ps(y + (size_t)c * stride + 8 * i, acc[i][c]);
}

#define PRODUCT(name, group, room)                                                            \
    AVX2 static void name(const Panel *panel, const QuantFormat *f, size_t n, const Columns *x, \
                          size_t first, size_t column, size_t cols, float *y, size_t stride) { \
        for (; cols >= 3; cols -= 3, column += 3, y += 3 * stride)                            \
            tile(panel, f, n, x, first, column, y, stride, 3, group, room);                   \
        for (; cols; cols--, column++, y += stride)                                           \
            tile(panel, f, n, x, first, column, y, stride, 1, group, room);                   \
    }

PRODUCT(product_32_8, 32, 8)
PRODUCT(product_32_4, 32, 4)
PRODUCT(product_32_1, 32, 1)
PRODUCT(product_16_4, 16, 4)
PRODUCT(product_16_2, 16, 2)
PRODUCT(product_16_1, 16, 1)

void panel_product_avx2(const Panel *panel, const QuantFormat *f, size_t n, const Columns *x,
                        size_t first, size_t column, size_t cols, float *y, size_t stride) {
    int span = f->span ? f->span : 127;
    PanelProduct *run = f->group == 32 ? (span <= 15   ? product_32_8
                                          : span <= 31 ? product_32_4
                                                       : product_32_1)
                                       : (span <= 31   ? product_16_4
                                          : span <= 63 ? product_16_2
                                                       : product_16_1);
    run(panel, f, n, x, first, column, cols, y, stride);
}

/* Eight rows of eight 32-bit quads, turned: three rounds of exchanging pairs, fours and halves. */
INLINE void turn_8x8(const Levels *levels, size_t quad, int8_t (*out)[PANEL_ROWS][4]) {
    __m256i row[8], a[8], b[8];
    UNROLL for (int r = 0; r < 8; r++) row[r] =
        _mm256_loadu_si256((const __m256i *)(levels[r].q + 4 * quad));
    UNROLL for (int r = 0; r < 8; r += 2) {
        a[r] = _mm256_unpacklo_epi32(row[r], row[r + 1]);
        a[r + 1] = _mm256_unpackhi_epi32(row[r], row[r + 1]);
    }
    UNROLL for (int r = 0; r < 8; r += 4) {
        b[r] = _mm256_unpacklo_epi64(a[r], a[r + 2]);
        b[r + 1] = _mm256_unpackhi_epi64(a[r], a[r + 2]);
        b[r + 2] = _mm256_unpacklo_epi64(a[r + 1], a[r + 3]);
        b[r + 3] = _mm256_unpackhi_epi64(a[r + 1], a[r + 3]);
    }
    UNROLL for (int r = 0; r < 4; r++) {
        _mm256_storeu_si256((__m256i *)out[quad + (size_t)r][0],
                            _mm256_permute2x128_si256(b[r], b[r + 4], 0x20));
        _mm256_storeu_si256((__m256i *)out[quad + (size_t)r + 4][0],
                            _mm256_permute2x128_si256(b[r], b[r + 4], 0x31));
    }
}

AVX2 void panel_turn_avx2(const Levels levels[PANEL_ROWS], Panel *panel) {
    for (size_t quad = 0; quad < PANEL_QUADS; quad += 8) {
        turn_8x8(levels, quad, panel->q);
        turn_8x8(levels + 8, quad, (int8_t(*)[PANEL_ROWS][4])panel->q[0][8]);
    }
    for (size_t r = 0; r < PANEL_ROWS; r++)
        for (size_t g = 0; g < LEVELS_GROUPS; g++) {
            panel->scale[g][r] = levels[r].scale[g];
            panel->min[g][r] = levels[r].min[g];
        }
}
#endif
