/* quantized_avx2.c - products of a panel, sixteen rows as two registers of eight.  Read
 * quantized.c first.
 *
 *     w       |row0 k0 k1 k2 k3|row1 k0 k1 k2 k3| ...       32 bytes
 *     x       |     k0 k1 k2 k3|     k0 k1 k2 k3| ...       the same four inputs in every lane
 *     maddubs |  k0+k1 |  k2+k3|  k0+k1 |  k2+k3| ...       unsigned times signed, in pairs: 16-bit sums
 *     madd    |      row0      |      row1      | ...       pairs of these: one 32-bit sum a row
 *
 * A 16-bit sum has room for 32767.  Levels up to 15 leave room for all 8 quads of a block
 * (8 * 2 * 15 * 127 = 30480), up to 31 for 4, up to 63 for 2; then one madd serves so many quads.
 * Signed bytes have room for one: |w| times x with the sign of w (and with many columns,
 * signed_avx2.c).
 *
 * How near the limit, on a Zen 3: in Q4_0 a block of 32 weights of 16 rows times 4 columns is 160
 * instructions that compute, at least 40 cycles for four pipes; it takes 54.  Two of the pipes
 * multiply and all of them add, and an addition that has waited for its product may take a pipe
 * that the next product needs: 24 products and 24 additions take 12.3 cycles when they have nothing
 * to do with each other, and 14.8 when each adds a product.  Loads go beside them. */
#include "../kernel_types.h"
#include "../simd/unroll.h"

#if defined(__x86_64__)
#include "inputs_avx2.h"
#include "pairs_avx2.h"
#include "signed_avx2.h"

/* `quads` quads of C columns: sum[i][c] += ..., `room` of them at a time in 16 bits. */
#define ADD_PRODUCTS(C, quads, room, is_signed)                                           \
    for (int at = 0; at < quads; at += room, w += room, in += 4 * room) {                 \
        __m256i part[2][C];                                                               \
        UNROLL for (int j = 0; j < room; j++) {                                           \
            __m256i w0 = _mm256_loadu_si256((const __m256i *)w[j][0]),                    \
                    w1 = _mm256_loadu_si256((const __m256i *)w[j][8]);                    \
            UNROLL for (int c = 0; c < C; c++) {                                          \
                __m256i four_in = four(in + LEVELS_CHUNK * c + 4 * j);                    \
                __m256i p0 = pairs(w0, four_in, is_signed),                               \
                        p1 = pairs(w1, four_in, is_signed);                               \
                part[0][c] = j ? _mm256_add_epi16(part[0][c], p0) : p0;                   \
                part[1][c] = j ? _mm256_add_epi16(part[1][c], p1) : p1;                   \
                IN_ORDER(part[0][c]);                                                     \
                IN_ORDER(part[1][c]);                                                     \
            }                                                                             \
        }                                                                                 \
        UNROLL for (int c = 0; c < C; c++) UNROLL for (int i = 0; i < 2; i++) sum[i][c] = \
            _mm256_add_epi32(sum[i][c], _mm256_madd_epi16(part[i][c], ones));             \
    }

/* C columns; a scale for each `group` weights. */
#define TILE(C, group, room, is_signed, has_min)                                          \
    do {                                                                                  \
        const int8_t(*w)[PANEL_ROWS][4] = panel->q;                                       \
        const int8_t *in = q;                                                             \
        int32_t start[C][LEVELS_GROUPS];                                                  \
        float total[C][LEVELS_GROUPS];                                                    \
        __m256 acc[2][C];                                                                 \
        UNROLL for (int c = 0; c < C; c++) {                                              \
            prepare(sums + 16 * c, d + 8 * c, f->offset, group, start[c], total[c]);      \
            UNROLL for (int i = 0; i < 2; i++) acc[i][c] = _mm256_loadu_ps(y[c] + 8 * i); \
        }                                                                                 \
        for (size_t g = 0; g < n / group; g++) {                                          \
            __m256i sum[2][C];                                                            \
            UNROLL for (int c = 0; c < C; c++) sum[0][c] = sum[1][c] =                    \
                _mm256_set1_epi32(start[c][g]);                                           \
            ADD_PRODUCTS(C, group / 4, room, is_signed)                                   \
            UNROLL for (int c = 0; c < C; c++) {                                          \
                __m256 scale = _mm256_broadcast_ss(d + g * group / 32 + 8 * c),           \
                       inputs = _mm256_broadcast_ss(total[c] + g);                        \
                UNROLL for (int i = 0; i < 2; i++) acc[i][c] = _mm256_fmadd_ps(           \
                    _mm256_cvtepi32_ps(sum[i][c]),                                        \
                    _mm256_mul_ps(_mm256_loadu_ps(panel->scale[g] + 8 * i), scale),       \
                    acc[i][c]);                                                           \
                if (has_min)                                                              \
                    UNROLL for (int i = 0; i < 2; i++) acc[i][c] = _mm256_fmadd_ps(       \
                        _mm256_loadu_ps(panel->min[g] + 8 * i), inputs, acc[i][c]);       \
            }                                                                             \
        }                                                                                 \
        UNROLL for (int c = 0; c < C; c++) UNROLL for (int i = 0; i < 2; i++)             \
            _mm256_storeu_ps(y[c] + 8 * i, acc[i][c]);                                    \
        q += C * LEVELS_CHUNK, d += C * 8, sums += C * 16, y += C;                        \
    } while (0)

/* PanelProduct with one panel. */
typedef void OnePanel(const Panel *panel, const QuantFormat *f, size_t n, const int8_t *q,
                      const float *d, const int16_t *sums, size_t cols, float (*y)[PANEL_ROWS]);

#define PRODUCT(name, group, room, is_signed, has_min)                                         \
    AVX2 static void name(const Panel *panel, const QuantFormat *f, size_t n, const int8_t *q, \
                          const float *d, const int16_t *sums, size_t left,                    \
                          float(*y)[PANEL_ROWS]) {                                             \
        const __m256i ones = _mm256_set1_epi16(1);                                             \
        for (; left >= 4; left -= 4) TILE(4, group, room, is_signed, has_min);                 \
        for (; left >= 2; left -= 2) TILE(2, group, room, is_signed, has_min);                 \
        if (left) TILE(1, group, room, is_signed, has_min);                                    \
    }

PRODUCT(product_32_8, 32, 8, false, false)
PRODUCT(product_32_8_min, 32, 8, false, true)
PRODUCT(product_32_4, 32, 4, false, false)
PRODUCT(product_32_4_min, 32, 4, false, true)
PRODUCT(product_32_1, 32, 1, false, false)
PRODUCT(product_32_signed, 32, 1, true, false)
PRODUCT(product_16_4, 16, 4, false, false)
PRODUCT(product_16_4_min, 16, 4, false, true)
PRODUCT(product_16_2, 16, 2, false, false)
PRODUCT(product_16_1, 16, 1, false, false)

/* No format with signed levels, or with levels beyond 31, has a min; signed levels come in groups
 * of 32. */
static OnePanel *product_for(const QuantFormat *f) {
    int room = room_of(plan_of(f));
    if (f->span == 0) return product_32_signed;
    if (f->group == 32)
        return room == 8   ? (f->min ? product_32_8_min : product_32_8)
               : room == 4 ? (f->min ? product_32_4_min : product_32_4)
                           : product_32_1;
    return room == 4   ? (f->min ? product_16_4_min : product_16_4)
           : room == 2 ? product_16_2
                       : product_16_1;
}

void panel_product_avx2(const Panel *panels, size_t count, const QuantFormat *f, size_t n,
                        const int8_t *q, const float *d, const int16_t *sums, size_t cols,
                        float (*y)[PANEL_ROWS]) {
    OnePanel *product = product_for(f);
    size_t done = f->span == 0 ? signed_product_avx2(panels, count, n, q, d, cols, y) : 0;
    for (size_t p = 0; p < count; p++)
        product(panels + p, f, n, q + done * LEVELS_CHUNK, d + done * 8, sums + done * 16,
                cols - done, y + p * cols + done);
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

AVX2 void panel_turn_avx2(const Levels levels[PANEL_ROWS],
                          int8_t q[PANEL_QUADS][PANEL_ROWS][4]) {
    for (size_t quad = 0; quad < PANEL_QUADS; quad += 8) {
        turn_8x8(levels, quad, q);
        turn_8x8(levels + 8, quad, (int8_t(*)[PANEL_ROWS][4])q[0][8]);
    }
}
#endif
