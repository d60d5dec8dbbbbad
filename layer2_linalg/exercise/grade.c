/* The graders of layer 2: dot and matrix products, compared with sums in double precision. */
#include "../src/kernels/kernel_types.h"
#include "edge.h"
#include "near.h"
#include "linalg.h"

/* ---------------------------------------------------------------- the dot product */

enum { LONGEST = 5000, USUAL = 300 };

/* Largest error of a float sum of n products: Higham's bound, and a little for the double. */
static double bound_of(const double *w, const float *x, size_t n) {
    double size = 0;
    for (size_t k = 0; k < n; k++) size += fabs(w[k] * (double)x[k]);
    return (double)(n + 2) * 0x1p-24 * size + 1e-30;
}

typedef float Dot(const void *w, const float *x, size_t n);
static float by_f32(const void *w, const float *x, size_t n) { return dot_f32_scalar(w, x, n); }
static float by_f16(const void *w, const float *x, size_t n) { return dot_f16_scalar(w, x, n); }
static float by_bf16(const void *w, const float *x, size_t n) {
    return dot_bf16_scalar(w, x, n);
}

static void check_dot(const char *name, Dot *dot, const void *stored, const uint16_t *bits,
                      const double *w, const float *x, size_t n) {
    double sum = 0, got = (double)dot(stored, x, n), bound = bound_of(w, x, n), without = 0,
           sums = 0, raw = 0, last = 0, magnitudes = 0;
    for (size_t k = 0; k < n; k++) {
        double p = w[k] * (double)x[k];
        sum += p, last = p, magnitudes += fabs(p), sums += w[k] + (double)x[k];
        if (k + 1 < n) without += p;
        if (bits) raw += (double)bits[k] * (double)x[k];
    }
    if (fabs(got - sum) <= bound) return;
    HINT(n != 0, "%s: the sum of nothing is 0, got %g", name, got);
    HINT(n < 2 || fabs(got - last) > bound,
         "%s: add up all the products; that is the last one alone", name);
    HINT(fabs(got - without) > bound,
         "%s: the last of %zu products is missing: k runs from 0 to n - 1", name, n);
    HINT(fabs(got - magnitudes) > bound, "%s: products keep their signs", name);
    HINT(fabs(got - sums) > bound + 1e-3,
         "%s: the pairs are multiplied, then added up; here they are added", name);
    HINT(!bits || fabs(got - raw) > 1e-3 * fabs(raw),
         "%s: the 16 bits are a pattern, not a number: widen each weight (f16_to_f32, "
         "bf16_to_f32)",
         name);
    HINT(false, "%s of %zu numbers: expected %.7g, got %.7g", name, n, sum, got);
}

GRADE(dots) {
    static float w[LONGEST + 1], x[LONGEST + 1];
    static uint16_t half[LONGEST + 1], brain[LONGEST + 1];
    static double wide[LONGEST], as_half[LONGEST], as_brain[LONGEST];
    for (int round = 0; round < 60; round++) {
        size_t n = round == 0 ? 0 : round == 1 ? 3 : round == 2 ? LONGEST : fresh_below(USUAL);
        fresh_floats(w, n, -1, 2), fresh_floats(x, n, -2, 1);
        for (size_t k = 0; k < n; k++) {
            half[k] = f16_from_f32(w[k]), brain[k] = bf16_from_f32(w[k]);
            wide[k] = (double)w[k], as_half[k] = (double)f16_to_f32(half[k]),
            as_brain[k] = (double)bf16_to_f32(brain[k]);
        }
        w[n] = x[n] = NAN, half[n] = brain[n] = 0x7FFF;
        HINT(!isnan(dot_f32_scalar(w, x, n)),
             "numbers past the last of %zu are read: k runs from 0 to n - 1", n);
        check_dot("dot_f32_scalar", by_f32, w, NULL, wide, x, n);
        check_dot("dot_f16_scalar", by_f16, half, half, as_half, x, n);
        check_dot("dot_bf16_scalar", by_bf16, brain, brain, as_brain, x, n);
    }
    for (size_t n = 1; n < 20; n++) {
        void *edge = before_the_edge(n * sizeof(float));
        memcpy(edge, w, n * sizeof *w), (void)dot_f32_scalar(edge, x, n);
        memcpy(edge, x, n * sizeof *x), (void)dot_f32_scalar(w, edge, n);
        edge = before_the_edge(n * sizeof *half);
        memcpy(edge, half, n * sizeof *half), (void)dot_f16_scalar(edge, x, n);
        memcpy(edge, brain, n * sizeof *brain), (void)dot_bf16_scalar(edge, x, n);
    }
    const float two = 2, infinite = INFINITY, nothing = 0;
    const uint16_t no_weight = 0;
    HINT(isnan(dot_f32_scalar(&nothing, &infinite, 1)) &&
             isnan(dot_f16_scalar(&no_weight, &infinite, 1)) &&
             isnan(dot_bf16_scalar(&no_weight, &infinite, 1)),
         "0 times infinity is NaN: no product is left out, not those of a zero weight either");
    HINT(isinf(dot_f32_scalar(&infinite, &two, 1)) &&
             isinf(dot_f16_scalar(&(uint16_t){0x7C00}, &two, 1)) &&
             isinf(dot_bf16_scalar(&(uint16_t){0x7F80}, &two, 1)),
         "a weight that is infinite makes the sum infinite");
}

/* ---------------------------------------------------------------- the matrix product */

enum { SIDE = 110 };
static float a_data[SIDE * SIDE], b_data[SIDE * SIDE], before[SIDE * SIDE], naive[SIDE * SIDE],
    blocked[SIDE * SIDE];

typedef enum {
    RIGHT,
    B_TURNED,
    A_TURNED,
    NOT_ADDED,
    ADDED,
    CLOSE_ROWS,
    FIRST_TILE,
    LAST_TILE
} Slip;

static double product_of(Slip slip, size_t k, Matrix a, Matrix b, size_t i, size_t j, bool add,
                         size_t at) {
    double sum = (add || slip == ADDED) && slip != NOT_ADDED ? (double)before[at] : 0;
    size_t from = slip == LAST_TILE ? (k ? (k - 1) / 48 * 48 : 0) : 0,
           to = slip == FIRST_TILE && k > 48 ? 48 : k;
    for (size_t p = from; p < to; p++)
        sum +=
            (double)a.data[slip == A_TURNED ? p * a.row + i * a.col : i * a.row + p * a.col] *
            (double)b.data[slip == B_TURNED ? j * b.row + p * b.col : p * b.row + j * b.col];
    return sum;
}

static bool is_product(Slip slip, const float *c, size_t m, size_t n, size_t k, Matrix a,
                       Matrix b, size_t ldc, bool add) {
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            if (!near((double)c[slip == CLOSE_ROWS ? i * n + j : i * ldc + j],
                      product_of(slip, k, a, b, i, j, add, i * ldc + j), 1e-4))
                return false;
    return true;
}

static void check_matrix(const char *name, const float *c, size_t m, size_t n, size_t k,
                         Matrix a, Matrix b, size_t ldc, bool add) {
    if (is_product(RIGHT, c, m, n, k, a, b, ldc, add)) return;
    HINT(add || !is_product(ADDED, c, m, n, k, a, b, ldc, add),
         "%s: without add C is written, whatever was there before", name);
    HINT(!add || !is_product(NOT_ADDED, c, m, n, k, a, b, ldc, add),
         "%s: with add the product is added to what is there: C += A B", name);
    HINT(
        !is_product(B_TURNED, c, m, n, k, a, b, ldc, add),
        "%s: B is read with its rows for columns: element (p, j) is at data[p * row + j * col]",
        name);
    HINT(
        !is_product(A_TURNED, c, m, n, k, a, b, ldc, add),
        "%s: A is read with its rows for columns: element (i, p) is at data[i * row + p * col]",
        name);
    HINT(ldc == n || !is_product(CLOSE_ROWS, c, m, n, k, a, b, ldc, add),
         "%s: the rows of C are ldc floats apart, here they follow one another", name);
    HINT(k <= 48 || !is_product(FIRST_TILE, c, m, n, k, a, b, ldc, add),
         "%s: only the first tile of the inner dimension is in the sums: the others are added "
         "to it",
         name);
    HINT(k <= 48 || !is_product(LAST_TILE, c, m, n, k, a, b, ldc, add),
         "%s: each tile of the inner dimension overwrites the one before: from the second on, "
         "add",
         name);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            HINT(near((double)c[i * ldc + j],
                      product_of(RIGHT, k, a, b, i, j, add, i * ldc + j), 1e-4),
                 "%s, %zu x %zu x %zu: element (%zu, %zu) should be %.6g and is %.6g", name, m,
                 n, k, i, j, product_of(RIGHT, k, a, b, i, j, add, i * ldc + j),
                 (double)c[i * ldc + j]);
}

/* Which outputs are done first shows when a factor lies where C is written: the rows of A are
 * the ends of C's rows above, or the columns of B are the ends of C's columns to the left.
 * Whole rows (columns), one after the other, read what has just been finished; tiles, what was
 * there before. */
enum { LONG = 300, DEEP = 8, AROUND = LONG };

static void one_by_one(bool columns, Matrix a, Matrix b, float *c) {
    for (size_t outer = 0; outer < LONG; outer++)
        for (size_t inner = 0; inner < LONG; inner++) {
            size_t i = columns ? inner : outer, j = columns ? outer : inner;
            for (size_t p = 0; p < DEEP; p++)
                c[i * LONG + j] += a.data[i * a.row + p] * b.data[p * b.row + j];
        }
}

static void check_tiles(bool columns) {
    static float memory[AROUND + LONG * LONG], got[AROUND + LONG * LONG], other[LONG * DEEP];
    float *c[] = {memory + AROUND, got + AROUND};
    bool alike = true;
    fresh_floats(memory, AROUND + LONG * LONG, -0.4, 0.4),
        fresh_floats(other, LONG * DEEP, -0.4, 0.4);
    memcpy(got, memory, sizeof got);
    for (int mine = 0; mine < 2; mine++) {
        Matrix a = columns ? (Matrix){other, DEEP, 1} : (Matrix){c[mine] - DEEP, LONG, 1},
               b = columns ? (Matrix){c[mine] + (LONG - DEEP) * LONG - 1, LONG, 1}
                           : (Matrix){other, LONG, 1};
        if (mine)
            matmul_blocked(LONG, LONG, DEEP, a, b, c[mine], LONG, true);
        else
            one_by_one(columns, a, b, c[mine]);
    }
    for (size_t i = 0; i < AROUND + LONG * LONG; i++)
        alike = alike && near((double)got[i], (double)memory[i], 1e-4);
    HINT(!alike,
         "matmul_blocked ends each %s of C before it begins the next: in tiles, a corner of "
         "many rows and columns is done first",
         columns ? "column" : "row");
}

typedef void Product(size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c, size_t ldc,
                     bool add);

/* Rows far apart, and factors that are NaN or infinite. */
static void check_far(const char *name, Product *product) {
    enum { APART = 70000 };
    static float far[2 * APART + 3];
    float b[3] = {1, INFINITY, 2}, c[2];
    fresh_floats(far, 3, -1, 1), fresh_floats(far + APART, 3, -1, 1), far[APART + 1] = 0;
    product(2, 1, 3, (Matrix){far, APART, 1}, (Matrix){b, 1, 1}, c, 1, false);
    HINT(isnan(c[1]),
         "%s: 0 * infinity is no number, and so is a sum with it: no product is left out, "
         "expected nan, got %g",
         name, (double)c[1]);
    product(1, 2, 1, (Matrix){&b[1], 1, 1}, (Matrix){(float[]){1, 0}, 2, 1}, c, 2, false);
    HINT(
        isnan(c[1]),
        "%s: infinity * 0 is no number: no product is left out for a 0 in B, expected nan, got "
        "%g",
        name, (double)c[1]);
    b[1] = 3;
    product(2, 1, 3, (Matrix){far, APART, 1}, (Matrix){b, 1, 1}, c, 1, false);
    for (size_t i = 0; i < 2; i++)
        NUMBER(c[i], far[i * APART] + 3 * far[i * APART + 1] + 2 * far[i * APART + 2], 1e-5,
               "%s: rows of A may be %d floats apart: row %zu", name, APART, i);
}

GRADE(products) {
    for (int mine = 0; mine < 4; mine++) { /* no rows, no columns: nothing is written */
        float c[4] = {5, 5, 5, 5};
        (mine < 2 ? matmul_naive : matmul_blocked)(mine % 2 ? 2 : 0, mine % 2 ? 0 : 2, 1,
                                                   (Matrix){a_data, 1, 1},
                                                   (Matrix){b_data, 1, 1}, c, 2, false);
        HINT(c[0] == 5 && c[1] == 5 && c[2] == 5 && c[3] == 5,
             "a product of no rows, or of no columns, writes nothing");
    }
    for (int round = 0; round < 24; round++) {
        size_t m = 1 + fresh_below(round % 2 ? 7 : SIDE),
               n = 1 + fresh_below(round % 3 ? SIDE - 1 : 7),
               k = round == 5 || round == 6 ? 0 : 1 + fresh_below(SIDE),
               ldc = n + fresh_below(SIDE - n);
        if (round == 0) m = 3, n = 4, k = 5, ldc = 9;
        if (round > 0 && round < 5) m = n = k = ldc = (size_t[]){4, 96, 20, 97}[round - 1];
        if (round == 7) m = 1500, n = k = ldc = 8;
        if (round == 8) n = ldc = 1500, m = k = 8;
        if (m * ldc > SIDE * SIDE) ldc = n;
        bool add = round % 2;
        fresh_floats(a_data, m * k, -1, 1), fresh_floats(b_data, k * n, -1, 1),
            fresh_floats(before, SIDE * SIDE, 1, 2);
        memcpy(naive, before, sizeof before), memcpy(blocked, before, sizeof before);
        Matrix a = round % 4 < 2 ? (Matrix){a_data, k, 1} : (Matrix){a_data, 1, m},
               b = round % 8 < 4 ? (Matrix){b_data, n, 1} : (Matrix){b_data, 1, k};
        matmul_naive(m, n, k, a, b, naive, ldc, add);
        check_matrix("matmul_naive", naive, m, n, k, a, b, ldc, add);
        matmul_blocked(m, n, k, a, b, blocked, ldc, add);
        check_matrix("matmul_blocked", blocked, m, n, k, a, b, ldc, add);
        HINT(memcmp(naive, blocked, sizeof naive) == 0,
             "blocked and naive differ in their last bits (%zu x %zu x %zu): each sum is a "
             "float that takes p in ascending order, in both",
             m, n, k);
        for (size_t i = 0; i < SIDE * SIDE; i++)
            HINT(naive[i] == before[i] || (i / ldc < m && i % ldc < n),
                 "something is written outside C (m, n): at float %zu, with rows of %zu that "
                 "are %zu apart",
                 i, n, ldc);
    }
    check_tiles(false);
    check_tiles(true);
    check_far("matmul_naive", matmul_naive), check_far("matmul_blocked", matmul_blocked);
}

/* ---------------------------------------------------------------- stored weights */

enum { OUT = 130, IN = 40, COLUMNS = 70 };
static float w_data[OUT * 2 * IN], x_data[(COLUMNS + 5) * IN], y_data[COLUMNS * OUT + 1];
static uint16_t w_half[OUT * 2 * IN];

static double output_of(const Tensor *w, size_t r, const float *x) {
    double sum = 0;
    for (size_t k = 0; k < w->shape[1]; k++)
        sum += (double)tensor_get(w, (size_t[]){r, k}) * (double)x[k];
    return sum;
}

static void check_weights(const Tensor *w, size_t first, size_t n) {
    size_t out = w->shape[0], in = w->shape[1];
    for (size_t c = 0; c < n; c++)
        for (size_t r = 0; r < out; r++) {
            double want = output_of(w, r, x_data + (first + c) * in),
                   got = (double)y_data[c * out + r];
            if (near(got, want, 1e-4)) continue;
            HINT(c == 0 || got != 77,
                 "%zu inputs: the outputs of the first are there, those of input %zu are not",
                 n, c);
            HINT(got != 77,
                 "output %zu of input %zu is never written: with %zu rows a task has the rows "
                 "begin .. end-1, and their outputs start at begin, too",
                 r, c, out);
            for (size_t other = 0; other < out; other++)
                HINT(other == r ||
                         !near(got, output_of(w, other, x_data + (first + c) * in), 1e-4),
                     "output %zu has what belongs to row %zu: the outputs of a task start at "
                     "begin, "
                     "and so do its rows",
                     r, other);
            HINT(first == 0 || !near(got, output_of(w, r, x_data + c * in), 1e-4),
                 "a product takes the inputs from `first` on, here it takes them from 0 on");
            HINT(c == 0 || !near(got, output_of(w, r, x_data + first * in), 1e-4),
                 "every column has the first one's outputs: column c of the inputs begins at x "
                 "+ c * in");
            HINT(false,
                 "%s weights (%zu, %zu), output %zu of input %zu of %zu: expected %.6g, got "
                 "%.6g; output r of column c is at y[c * out + r]",
                 dtype_name(w->dtype), out, in, r, c, n, want, got);
        }
}

GRADE(weights) {
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    NEED(pool);
    for (int round = 0; round < 24; round++) {
        size_t out = 1 + fresh_below(round % 3 ? OUT : 5), in = 2 + fresh_below(IN - 1),
               n = round < 4 ? 1 : 1 + fresh_below(COLUMNS),
               first = round % 2 ? fresh_below(5) : 0;
        fresh_floats(w_data, out * 2 * in, -1, 1),
            fresh_floats(x_data, (COLUMNS + 5) * in, -1, 1);
        for (size_t i = 0; i < out * 2 * in; i++) w_half[i] = f16_from_f32(w_data[i]);
        for (size_t i = 0; i <= COLUMNS * OUT; i++) y_data[i] = 77;
        Tensor wide =
            tensor_view(round % 4 < 2 ? DTYPE_F32 : DTYPE_F16, 2, (size_t[]){out, 2 * in},
                        round % 4 < 2 ? (void *)w_data : w_half);
        Tensor w =
            tensor_slice(&wide, 1, 0, in); /* rows are farther apart than they are long */
        matmul_products(round % 5 ? pool : NULL, &(WeightsProduct){&w, NULL, first, n, y_data},
                        1, x_data, first + n, NULL);
        check_weights(&w, first, n);
        HINT(y_data[n * out] == 77, "something is written past the outputs (%zu, %zu)", n, out);
        for (size_t i = 0; i <= COLUMNS * OUT; i++) y_data[i] = 77;
        matvec(pool, &w, x_data, y_data, NULL);
        check_weights(&w, 0, 1);
    }
    pool_close(pool);
}

GRADES({"2.1", dots}, {"2.5", products}, {"2.8", weights})
