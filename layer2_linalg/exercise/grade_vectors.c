/* The graders of layer 2: the other loops over vectors. */
#include "../src/kernels/kernel_table.h"
#include "near.h"
#include "linalg.h"

/* --------------------------------------------------- axpy, weighted sums, the largest */

enum { MOST = 200, ROWS = 90, RESULTS = 9, ROOM = 1 << 15, LONG = 70000 };

static void check_axpy(size_t n) {
    float y[MOST + 1], x[MOST + 1], was[MOST + 1], a = (float)fresh_between(-3, 3);
    fresh_floats(x, MOST + 1, -1, 1), fresh_floats(y, MOST + 1, -1, 1);
    memcpy(was, y, sizeof was);
    axpy_scalar(y, a, x, n);
    HINT(y[n] == was[n], "axpy of %zu numbers writes past the last", n);
    for (size_t i = 0; i < n; i++) {
        float want = fmaf(a, x[i], was[i]);
        if (y[i] == want) continue;
        HINT(y[i] != a * x[i], "axpy adds to y: y[i] + a * x[i]; here what was in y is lost");
        HINT(y[i] != fmaf(a, was[i], x[i]), "x and y are exchanged: y[i] + a * x[i]");
        HINT(!near((double)y[i], (double)want, 1e-6),
             "rounded twice, product and sum: the contract is one rounding, fmaf(a, x, y); "
             "expected %.9g, got %.9g",
             (double)want, (double)y[i]);
        HINT(false, "axpy, number %zu of %zu: %.6g + %.6g * %.6g: expected %.7g, got %.7g", i,
             n, (double)was[i], (double)a, (double)x[i], (double)want, (double)y[i]);
    }
}

/* A rounded product, 0 times something, and a long vector. */
static void check_odd_axpy(void) {
    float y = 1, x = 38737 * 0x1p-60f; /* 1774001 * 38737 = 2^36 + 1 */
    axpy_scalar(&y, 1774001, &x, 1);
    HINT(y == 1 + 0x1p-23f,
         "1 + (2^-24 + 2^-60) is nearer to 1 + 2^-23 than to 1, and %.9g came: a sum in double "
         "is "
         "rounded twice, once to double and once to float; fmaf(a, x, y) rounds once",
         (double)y);
    y = 1, x = INFINITY, axpy_scalar(&y, 0, &x, 1);
    HINT(isnan(y), "1 + 0 * infinity is NaN, got %g: no product is left out", (double)y);
    y = 1, x = 0, axpy_scalar(&y, NAN, &x, 1);
    HINT(isnan(y), "1 + NaN * 0 is NaN, got %g: no product is left out", (double)y);
    static float many[LONG], sums[LONG];
    fresh_floats(many, LONG, -1, 1), memset(sums, 0, sizeof sums);
    axpy_scalar(sums, 2, many, LONG);
    for (size_t i = 0; i < LONG; i++)
        HINT(sums[i] == 2 * many[i], "axpy of %d numbers: number %zu is %g, expected %g", LONG,
             i, (double)sums[i], (double)(2 * many[i]));
    many[LONG - 2] = 7;
    HINT(vector_max_scalar(many, LONG) == 7, "the largest of %d numbers is 7, at %d: got %g",
         LONG, LONG - 2, (double)vector_max_scalar(many, LONG));
}

static void check_skipped(bool halves) {
    float y[STRIP] = {0}, a = 0, x[STRIP];
    uint16_t half[STRIP];
    for (size_t i = 0; i < STRIP; i++)
        x[i] = i % 2 ? INFINITY : 3, half[i] = f16_from_f32(x[i]);
    const WeightedTask task = {y, &a, halves ? (void *)half : x, STRIP, 1, STRIP, 1, 1, STRIP};
    (halves ? weighted_sum_f16_scalar : weighted_sum_scalar)(&task);
    for (size_t i = 0; i < STRIP; i++)
        HINT(
            i % 2 ? isnan(y[i]) : y[i] == 0,
            "%s: a row with the factor 0 is left out, and 0 * infinity is NaN: each product is "
            "added",
            halves ? "weighted_sum_f16_scalar" : "weighted_sum_scalar");
}

static void check_weighted(bool halves, size_t count, size_t rows, size_t n) {
    static float x[ROOM], y[RESULTS * (MOST + 9)], want[RESULTS * (MOST + 9)],
        was[RESULTS * (MOST + 9)], a[RESULTS * (ROWS + 3)];
    static uint16_t half[ROOM];
    size_t y_step = n + fresh_below(9), a_step = rows + fresh_below(3),
           x_step = STRIP * rows + fresh_below(8);
    fresh_floats(x, ROOM, -70, 70), fresh_floats(y, RESULTS * (MOST + 9), -1, 1),
        fresh_floats(a, RESULTS * (ROWS + 3), -2, 2);
    for (size_t i = 0; i < ROOM; i++) half[i] = f16_from_f32(x[i]), x[i] = f16_to_f32(half[i]);
    memcpy(want, y, sizeof y), memcpy(was, y, sizeof y);
    for (size_t c = 0; c < count; c++)
        for (size_t j = 0; j < rows; j++)
            for (size_t i = 0; i < n; i++) {
                float *to = &want[c * y_step + i];
                *to =
                    fmaf(a[c * a_step + j], x[i / STRIP * x_step + STRIP * j + i % STRIP], *to);
            }
    const WeightedTask task = {
        y, a, halves ? (void *)half : x, y_step, a_step, x_step, count, rows, n};
    (halves ? weighted_sum_f16_scalar : weighted_sum_scalar)(&task);
    if (memcmp(y, want, sizeof y) == 0) return;
    const char *name = halves ? "weighted_sum_f16_scalar" : "weighted_sum_scalar";
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < n; i++) {
            float got = y[c * y_step + i], right = want[c * y_step + i];
            if (got == right) continue;
            HINT(rows == 0 || got != was[c * y_step + i],
                 "%s: result %zu of %zu, number %zu of %zu: nothing is added there", name, c,
                 count, i, n);
            HINT(i < STRIP || c > 0 || y[0] != want[0],
                 "%s: the first strip of 16 is right, number %zu is not: x[j][i] is at x + i / "
                 "16 * x_step + 16 * j + i %% 16 (expected %.6g, got %.6g)",
                 name, i, (double)right, (double)got);
            HINT(c == 0 || memcmp(y, want, n * sizeof *y) != 0,
                 "%s: the first result is right, result %zu is not: its factors begin at a + c "
                 "* a_step, its numbers at y + c * y_step",
                 name, c);
            HINT(!near((double)got, (double)right, 1e-5),
                 "%s: right but for the last bits: one row after the other, each product added "
                 "by one fmaf",
                 name);
            HINT(false,
                 "%s: %zu results of %zu rows of %zu numbers: number %zu of result %zu: "
                 "expected %.6g, got %.6g",
                 name, count, rows, n, i, c, (double)right, (double)got);
        }
    HINT(false, "%s: something is written outside the results (%zu, %zu)", name, count, n);
}

static void check_max(size_t n) {
    float x[MOST] = {0}, high = -INFINITY;
    double middle = (double[]){0, -500, 500}[fresh_below(3)];
    fresh_floats(x, n, middle - 3, middle + 3);
    for (size_t i = 0; i < n; i++) high = fmaxf(high, x[i]);
    float got = vector_max_scalar(x, n);
    HINT(n == 0 || middle > -1 || got != 0,
         "all %zu numbers are below zero, but the maximum is 0: begin with -infinity", n);
    HINT(got == high, "the largest of %zu numbers around %g: expected %.7g, got %.7g", n,
         middle, (double)high, (double)got);
    if (n == 0) return;
    x[fresh_below(n)] = NAN;
    HINT(isnan(vector_max_scalar(x, n)),
         "one of %zu numbers is NaN, so the largest is NaN (a comparison with NaN is false); "
         "got %g",
         n, (double)vector_max_scalar(x, n));
}

GRADE(vectors) {
    for (int round = 0; round < 60; round++) {
        check_axpy(fresh_below(MOST));
        check_max(round < 50 ? 1 + fresh_below(MOST - 1) : 0);
    }
    for (int round = 0; round < 120; round++)
        check_weighted(round % 2, 1 + fresh_below(RESULTS),
                       fresh_below(round % 8 < 6 ? 8 : ROWS + 1),
                       1 + fresh_below(round < 40 ? STRIP : MOST));
    check_odd_axpy(), check_skipped(false), check_skipped(true);
}

/* ---------------------------------------------------------------- a faster sum */

enum { LENGTH = 4096, ARRAYS = 24 };
static float pile[ARRAYS][LENGTH + 8];

__attribute__((noinline)) static float one_sum(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* Seconds for the sums of all arrays, with fresh numbers. */
static double time_of(float (*sum)(const float *, size_t)) {
    static double want[ARRAYS];
    static float got[ARRAYS];
    for (int k = 0; k < ARRAYS; k++) {
        double shift = fresh_between(0, 1), total = 0;
        for (int i = 0; i < LENGTH; i++)
            total +=
                (double)(pile[k][i] = (float)((double)((i * 7919 + k) % 1000) / 1000 + shift));
        want[k] = total;
    }
    double start = clock_seconds();
    for (int k = 0; k < ARRAYS; k++) got[k] = sum(pile[k], LENGTH);
    double seconds = clock_seconds() - start;
    for (int k = 0; k < ARRAYS; k++)
        HINT(close_to((double)got[k], want[k], 0.5),
             "the sum of %d new numbers: expected %.6g, got %.6g", LENGTH, want[k],
             (double)got[k]);
    return seconds;
}

GRADE(fast_sum) {
    float x[200];
    for (size_t n = 0; n < 200; n++) {
        double want = 0, size = 0;
        fresh_floats(x, n, -1, 2);
        for (size_t i = 0; i < n; i++) want += (double)x[i], size += fabs((double)x[i]);
        double got = (double)vector_sum_scalar(x, n);
        HINT(fabs(got - want) <= (double)n * 0x1p-24 * size,
             "the sum of %zu numbers: expected %.7g, got %.7g: what about lengths that are no "
             "multiple of yours?",
             n, want, got);
        memmove(pile[0] + n % 8, x, n * sizeof *x);
        float again = vector_sum_scalar(pile[0] + n % 8, n);
        HINT(again == vector_sum_scalar(x, n),
             "the same %zu numbers at another address have another sum: the order of a sum "
             "depends on n alone",
             n);
    }
    static float long_one[70003];
    double want = 0, size = 0;
    fresh_floats(long_one, 70003, -1, 2);
    for (size_t i = 0; i < 70003; i++)
        want += (double)long_one[i], size += fabs((double)long_one[i]);
    HINT(fabs((double)vector_sum_scalar(long_one, 70003) - want) <= 70003 * 0x1p-24 * size &&
             fabs((double)vector_sum_scalar(long_one, 70003) - want) < 0.01 * fabs(want),
         "the sum of 70003 numbers: expected %.7g, got %.7g", want,
         (double)vector_sum_scalar(long_one, 70003));
    for (size_t i = 0; i < 3 * 43; i++) {
        float odd = (float[]){NAN, INFINITY, -INFINITY}[i % 3];
        fresh_floats(x, 43, -1, 2), x[i / 3] = odd;
        float got = vector_sum_scalar(x, 43);
        HINT(got == odd || (isnan(got) && isnan(odd)),
             "with %g at %zu of 43 numbers (from 0) the sum is %g, got %g", (double)odd, i / 3,
             (double)odd, (double)got);
    }
    double yours = 1e9, plain = 1e9;
    for (int round = 0; round < 60; round++)
        yours = fmin(yours, time_of(vector_sum_scalar)), plain = fmin(plain, time_of(one_sum));
    printf("  one running sum: %.2f us; yours: %.2f us, %.1f times as fast\n",
           plain / ARRAYS * 1e6, yours / ARRAYS * 1e6, plain / yours);
    HINT(plain / yours >= 1.8,
         "wanted 1.8 times as fast: keep several sums that do not wait for each other");
}

GRADES({"2.6", fast_sum}, {"2.2", vectors})
