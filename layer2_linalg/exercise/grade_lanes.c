/* The grader of layer 2: a dot product in lanes.  For x86-64 with AVX2. */
#include "../src/kernels/kernel_table.h"
#include "edge.h"
#include "near.h"
#include "linalg.h"

enum { MOST = 200, OUT = 9, IN = 7 };

#if defined(__x86_64__)
static const struct {
    Dtype dtype;
    const char *name;
    DotTile *tile;
} tiles[] = {{DTYPE_F32, "F32", dot_tile_f32_avx2},
             {DTYPE_F16, "F16", dot_tile_f16_avx2},
             {DTYPE_BF16, "BF16", dot_tile_bf16_avx2}};

static double weight_at(Dtype dtype, const void *w, size_t k) {
    return dtype == DTYPE_F32   ? (double)((const float *)w)[k]
           : dtype == DTYPE_F16 ? (double)f16_to_f32(((const uint16_t *)w)[k])
                                : (double)bf16_to_f32(((const uint16_t *)w)[k]);
}

static void check_dot(size_t f, size_t n, size_t rows, size_t cols, bool edge) {
    static unsigned char w[OUT * (MOST + 8) * 4];
    static float x[IN * (MOST + 8)], y[IN * OUT], numbers[MOST + 8];
    size_t size = tiles[f].dtype == DTYPE_F32 ? 4 : 2, stride = (n + (edge ? 0 : 8)) * size,
           x_stride = n + 8;
    unsigned char *stored = edge ? before_the_edge(rows * stride) : w;
    for (size_t r = 0; r < rows; r++) {
        fresh_floats(numbers, n, -1, 1);
        quantize_row(tiles[f].dtype, numbers, NULL, stored + r * stride, n);
        if (!edge)
            memset(stored + r * stride + n * size, 0xFF, 8 * size); /* NaN in all three */
    }
    fresh_floats(x, IN * (MOST + 8), -1, 1);
    for (size_t c = 0; c < cols; c++) memset(x + c * x_stride + n, 0xFF, 8 * sizeof *x);
    tiles[f].tile(&(DotTask){stored, x, y, stride, x_stride, OUT, rows, cols, n, NULL});
    for (size_t c = 0; c < cols; c++)
        for (size_t r = 0; r < rows; r++) {
            double want = 0, size_of_terms = 0, lanes = 0, even = 0, tail = 0,
                   got = (double)y[c * OUT + r];
            for (size_t k = 0; k < n; k++) {
                double p = weight_at(tiles[f].dtype, stored + r * stride, k) *
                           (double)x[c * x_stride + k];
                want += p, size_of_terms += fabs(p);
                if (k % 8 == 0) lanes += p;
                if (k % 8 < 4) even += p;
                if (k < n / 8 * 8) tail += p;
            }
            double bound = (double)(n + 2) * 0x1p-24 * size_of_terms;
            if (fabs(got - want) <= bound) continue;
            HINT(!isnan(got),
                 "%s, %zu numbers, not a multiple of 8: numbers past the last are in the sum; "
                 "the lanes that are left must hold zeros",
                 tiles[f].name, n);
            HINT(n < 2 || fabs(got - lanes) > bound,
                 "%s: lane 0 alone is returned: the eight lanes are added up at the end",
                 tiles[f].name);
            HINT(n < 5 || fabs(got - even) > bound,
                 "%s: only the lower four lanes are added up: the upper half of the register "
                 "counts, too",
                 tiles[f].name);
            HINT(n % 8 == 0 || fabs(got - tail) > bound,
                 "%s, %zu numbers: the last %zu, which do not fill a register, are missing",
                 tiles[f].name, n, n % 8);
            HINT(rows < 4 || r == 0 || fabs(got - (double)y[c * OUT]) > 1e-9,
                 "%s: four rows get the first one's sum: y[r] is the lanes of sum[r], added up",
                 tiles[f].name);
            HINT(false,
                 "%s, %zu numbers, %zu rows by %zu inputs: output %zu of input %zu: expected "
                 "%.6g, got %.6g",
                 tiles[f].name, n, rows, cols, r, c, want, got);
        }
}

/* A row's dot product as at the head of dot_avx2.c, or with products rounded first. */
static float in_lanes(size_t f, const void *w, const float *x, size_t n, bool fused) {
    volatile float s[8] = {0}, product;
    for (size_t k = 0; k < n; k++) {
        float weight = (float)weight_at(tiles[f].dtype, w, k);
        product = weight * x[k];
        s[k % 8] = fused ? fmaf(weight, x[k], s[k % 8]) : s[k % 8] + product;
    }
    for (int width = 4; width; width /= 2)
        for (int i = 0; i < width; i++) s[i] += s[i + width];
    return s[0];
}

static void check_company(size_t f, size_t n) {
    static unsigned char w[4 * MOST * 4];
    static float x[MOST], numbers[MOST], y[8], alone;
    size_t stride = n * 4;
    for (size_t r = 0; r < 4; r++) {
        fresh_floats(numbers, n, -1, 1);
        quantize_row(tiles[f].dtype, numbers, NULL, w + r * stride, n);
    }
    fresh_floats(x, n, -1, 1);
    tiles[f].tile(&(DotTask){w, x, y, stride, 0, 4, 4, 2, n, NULL}); /* the same input twice */
    HINT(y[1] != y[0] || y[2] != y[0],
         "four rows get the first one's sum: y[r] is the lanes of sum[r], added up");
    for (size_t r = 0; r < 4; r++) {
        const unsigned char *row = w + r * stride;
        tiles[f].tile(&(DotTask){row, x, &alone, stride, n, 1, 1, 1, n, NULL});
        HINT(alone == y[r],
             "a row alone and the same row among four differ in the last bits (%.9g, %.9g): "
             "the lanes of one register (R = 1) and of four are added up in the same order",
             (double)alone, (double)y[r]);
    }
}

static void check_order(size_t f, size_t n) {
    static unsigned char row[MOST * 4];
    static float x[MOST], numbers[MOST], alone;
    fresh_floats(numbers, n, -1, 1), fresh_floats(x, n, -1, 1);
    quantize_row(tiles[f].dtype, numbers, NULL, row, n);
    tiles[f].tile(&(DotTask){row, x, &alone, n * 4, n, 1, 1, 1, n, NULL});
    float want = in_lanes(f, row, x, n, true);
    HINT(alone == want || alone != in_lanes(f, row, x, n, false),
         "products are rounded before they are added (%.9g, expected %.9g): one "
         "instruction, w * x + sum, rounds once",
         (double)alone, (double)want);
    HINT(alone == want,
         "the last bits differ (%.9g, expected %.9g): the lanes are added up in the order "
         "((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7)), or another build tells another story",
         (double)alone, (double)want);
}

/* Every 16-bit number, alone in a lane: infinities, NaN and subnormals, too. */
static void check_numbers(size_t f) {
    float x[8], got;
    for (int i = 0; i < 8; i++) x[i] = 1;
    for (uint32_t bits = 0; bits < 1 << 16; bits++) {
        uint16_t w[8] = {0};
        w[bits % 8] = (uint16_t)bits;
        double want = weight_at(tiles[f].dtype, w, bits % 8);
        tiles[f].tile(&(DotTask){w, x, &got, 16, 8, 1, 1, 1, 8, NULL});
        HINT(isnan(want) ? isnan(got) : (double)got == want,
             "%s: the weight 0x%04X times 1 is %.9g, and %.9g came", tiles[f].name, bits, want,
             (double)got);
    }
}

GRADE(lanes) {
    const Kernels *list[KERNELS_MAX];
    if (kernels_tables(list) < 2) {
        puts("  this machine has no AVX2: not judged");
        return;
    }
    for (int round = 0; round < 300; round++) {
        size_t f = (size_t)round % 3, n = round < 40 ? (size_t)round : fresh_below(MOST);
        check_dot(f, n, 1 + fresh_below(round % 4 ? OUT : 1), 1 + fresh_below(IN), false);
        if (n) check_company(f, n);
    }
    for (int round = 0; round < 60; round++)
        check_dot((size_t)round % 3, 1 + fresh_below(60), 1 + fresh_below(4), 1, true);
    for (size_t n = 0; n < MOST; n++) check_order(n % 3, n);
    check_numbers(1), check_numbers(2);
}
#else
GRADE(lanes) {
    puts("  this exercise is for x86-64 with AVX2: not judged (its sibling here is "
         "neon/dot_neon.c)");
}
#endif

GRADES({"2.7", lanes})
