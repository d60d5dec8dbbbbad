/* The grader of layer 2: the product of packed panels. */
#include "../src/kernels/kernel_types.h"
#include "edge.h"
#include "near.h"
#include "linalg.h"

enum { MR = MICRO_ROWS_scalar, NR = MICRO_COLS_scalar, DEEP = 60, SIDE = 130 };

static void check_micro(size_t k, bool add) {
    static float a[MR * DEEP], b[NR * DEEP], c[MR * 20], was[MR * 20];
    size_t ldc = NR + fresh_below(9);
    fresh_floats(a, MR * DEEP, -1, 1), fresh_floats(b, NR * DEEP, -1, 1),
        fresh_floats(c, MR * 20, 3, 5);
    memcpy(was, c, sizeof was);
    micro_scalar(k, a, b, c, ldc, add);
    for (size_t i = 0; i < MR * 20; i++) {
        size_t row = i / ldc, col = i % ldc;
        if (row >= MR || col >= NR) {
            HINT(c[i] == was[i],
                 "micro_scalar: something is written outside the %d by %d numbers of C, whose "
                 "rows are ldc floats apart",
                 MR, NR);
            continue;
        }
        double want = add ? (double)was[i] : 0, turned = want, fresh_sum = 0;
        for (size_t p = 0; p < k; p++) {
            want += (double)a[p * MR + row] * (double)b[p * NR + col];
            turned += (double)a[row * k + p] * (double)b[col * k + p];
        }
        fresh_sum = want - (add ? (double)was[i] : 0);
        double got = (double)c[i];
        if (near(got, want, 1e-5)) continue;
        HINT(!add || !near(got, fresh_sum, 1e-5),
             "micro_scalar: with add the products are added to what C holds");
        HINT(add || !near(got, want + (double)was[i], 1e-5),
             "micro_scalar: without add C is written, whatever was there before");
        HINT(!near(got, turned, 1e-5),
             "micro_scalar: the panels are k-major: for each p first %d numbers of A, a[p * %d "
             "+ i], and %d of B",
             MR, MR, NR);
        HINT(false, "micro_scalar, k = %zu: element (%zu, %zu): expected %.6g, got %.6g", k,
             row, col, want, got);
    }
}

static float b_data[600 * SIDE], c_data[SIDE * SIDE], before[SIDE * SIDE], scratch[1 << 20];

/* Numbers of A and B are `step` floats apart along a row, or along a column. */
static void check_product(size_t m, size_t n, size_t k, size_t step, bool turn_a, bool turn_b,
                          bool add) {
    size_t ldc = n + fresh_below(SIDE - n + 1);
    float *a_data = before_the_edge(m * k * step * sizeof *a_data); /* nothing behind is read */
    fresh_floats(a_data, m * k * step, -1, 1), fresh_floats(b_data, k * n * step, -1, 1),
        fresh_floats(before, SIDE * SIDE, 3, 5);
    memcpy(c_data, before, sizeof before);
    Matrix a = turn_a ? (Matrix){a_data, step, step * m} : (Matrix){a_data, step * k, step},
           b = turn_b ? (Matrix){b_data, step, step * k} : (Matrix){b_data, step * n, step};
    matmul_packed(NULL, m, n, k, a, b, c_data, ldc, add, scratch);
    for (size_t at = 0; at < SIDE * SIDE; at++) {
        size_t i = at / ldc, j = at % ldc;
        double want = i < m && j < n && !add ? 0 : (double)before[at], got = (double)c_data[at];
        for (size_t p = 0; i < m && j < n && p < k; p++)
            want +=
                (double)a.data[i * a.row + p * a.col] * (double)b.data[p * b.row + j * b.col];
        if (near(got, want, 2e-4)) continue;
        HINT(i < m && j < n,
             "%zu x %zu x %zu: something is written outside C: compute a tile at the border "
             "aside, and only the part that exists is copied over",
             m, n, k);
        HINT(!near(got, (double)before[at], 1e-6),
             "%zu x %zu x %zu: element (%zu, %zu) is never written: tiles at the border have "
             "fewer rows or columns, and count",
             m, n, k, i, j);
        HINT(!add || !near(got, want - (double)before[at], 2e-4),
             "%zu x %zu x %zu, with add: element (%zu, %zu), in a tile at the border, has lost "
             "what C held: it is copied into the tile first",
             m, n, k, i, j);
        HINT(false,
             "%zu x %zu x %zu%s%s: element (%zu, %zu): expected %.6g, got %.6g; number (lane, "
             "p) of a strip is at from[p * k_step + lane * lane_step], and goes to to[p * full "
             "+ lane]",
             m, n, k, turn_a ? ", A transposed" : "", turn_b ? ", B transposed" : "", i, j,
             want, got);
    }
}

/* A product with 0 counts like any other: 0 times infinity is NaN. */
static void check_zeros(void) {
    float a[MR] = {0}, b[NR], c[MR * NR] = {0};
    for (int j = 0; j < NR; j++) b[j] = INFINITY;
    micro_scalar(1, a, b, c, NR, false);
    HINT(isnan(c[0]),
         "micro_scalar: 0 times infinity is NaN, and %g came: no product is left out",
         (double)c[0]);
}

/* The widest kernel: its panels are not square. */
GRADE(packed) {
    setenv("STRATA_ISA", "auto", 1);
    check_zeros();
    for (int round = 0; round < 40; round++)
        check_micro(round ? fresh_below(DEEP) : 0, round % 2);
    HINT(matmul_scratch_floats(1, SIDE) <= sizeof scratch / sizeof *scratch, "no room");
    for (int round = 0; round < 48; round++) {
        size_t m = 1 + fresh_below(round % 3 ? SIDE : 9),
               n = 1 + fresh_below(round % 4 ? SIDE : 9),
               k = round % 6 ? fresh_below(60) : 257 + fresh_below(300);
        if (round < 3) m = n = 8 * (1 + (size_t)round), k = 5;
        check_product(m, n, k, k < 60 && round % 5 == 4 ? 2 : 1, round & 1, round & 2,
                      round & 4);
    }
    static const size_t border[][2] = {{1, 1}, {9, 49}, {7, 17}, {49, 97}, {8, 1}, {1, 48}};
    for (size_t i = 0; i < 12; i++) /* tiles of one row or column, with what C holds */
        check_product(border[i / 2][0], border[i / 2][1], i % 2 ? 300 : 20, 1, false, false,
                      true);
}

GRADES({"2.9", packed})
