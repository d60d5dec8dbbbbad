/* The grader of layer 2: a dot product in lanes.  For x86-64 with AVX2. */
#include "../src/kernel_table.h"
#include "near.h"
#include "linalg.h"

#include <sys/mman.h>

enum { MOST = 200, OUT = 9, IN = 7, PAGES = 1 << 16 };

#if defined(__x86_64__)
static const struct {
    Dtype dtype;
    const char *name;
    DotTile *tile;
} tiles[] = {{DTYPE_F32, "F32", dot_tile_f32_avx2},
             {DTYPE_F16, "F16", dot_tile_f16_avx2},
             {DTYPE_BF16, "BF16", dot_tile_bf16_avx2}};

/* Memory that ends where a page ends; behind it lies one that may not be touched. */
static unsigned char *before_the_edge(size_t bytes) {
    static unsigned char *pages;
    if (!pages) {
        pages =
            mmap(NULL, 2 * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        NEED(pages != MAP_FAILED);
        NEED(mprotect(pages + PAGES, PAGES, PROT_NONE) == 0);
    }
    return pages + PAGES - bytes;
}

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
    tiles[f].tile(&(DotTask){stored, x, y, stride, x_stride, OUT, rows, cols, n});
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
                 "%s, %zu numbers, which are no multiple of 8: those behind the last are in "
                 "the sum; the lanes that are left must hold zeros",
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

static void check_company(size_t f, size_t n) {
    static unsigned char w[4 * MOST * 4];
    static float x[MOST], numbers[MOST], y[4], alone;
    size_t stride = n * 4;
    for (size_t r = 0; r < 4; r++) {
        fresh_floats(numbers, n, -1, 1);
        quantize_row(tiles[f].dtype, numbers, NULL, w + r * stride, n);
    }
    fresh_floats(x, n, -1, 1);
    tiles[f].tile(&(DotTask){w, x, y, stride, n, 4, 4, 1, n});
    HINT(y[1] != y[0] || y[2] != y[0],
         "four rows get the first one's sum: y[r] is the lanes of sum[r], added up");
    for (size_t r = 0; r < 4; r++) {
        tiles[f].tile(&(DotTask){w + r * stride, x, &alone, stride, n, 1, 1, 1, n});
        HINT(alone == y[r],
             "a row alone and the same row among four differ in the last bits (%.9g, %.9g): "
             "the lanes of one register (R = 1) and of four are added up in the same order",
             (double)alone, (double)y[r]);
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
}
#else
GRADE(lanes) {
    puts("  this exercise is for x86-64 with AVX2: not judged (its sibling here is "
         "neon/dot_neon.c)");
}
#endif

GRADES({"2.7", lanes})
