/* The graders of layer 2: the other loops over vectors, and what must be the same to the bit on every instruction set. */
#include "../src/kernel_table.h"
#include "near.h"
#include "linalg.h"

/* ---------------------------------------------------------------- axpy, weighted sums, the largest */

enum { MOST = 90, ROWS = 7, RESULTS = 4, ROOM = 4096 };

static void check_axpy(size_t n) {
    float y[MOST + 1], x[MOST + 1], was[MOST + 1], a = (float)fresh_between(-3, 3);
    fresh_floats(x, MOST + 1, -1, 1), fresh_floats(y, MOST + 1, -1, 1);
    memcpy(was, y, sizeof was);
    axpy_scalar(y, a, x, n);
    HINT(y[n] == was[n], "axpy of %zu numbers writes behind the last", n);
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

static void check_weighted(bool halves, size_t count, size_t rows, size_t n) {
    static float x[ROOM], y[RESULTS * (MOST + 9)], want[RESULTS * (MOST + 9)],
        was[RESULTS * (MOST + 9)], a[RESULTS * (ROWS + 3)];
    static uint16_t half[ROOM];
    size_t y_step = n + fresh_below(9), a_step = rows + fresh_below(3),
           x_step = STRIP * rows + fresh_below(8);
    fresh_floats(x, ROOM, -1, 1), fresh_floats(y, RESULTS * (MOST + 9), -1, 1),
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
                 "%s: the first strip of 16 is right, number %zu is not: x[j][i] lies at x + i "
                 "/ 16 * x_step + 16 * j + i %% 16 (expected %.6g, got %.6g)",
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
    HINT(false, "%s: something is written beside the results (%zu, %zu)", name, count, n);
}

static void check_max(size_t n) {
    float x[MOST] = {0}, high = -INFINITY;
    double middle = (double[]){0, -500, 500}[fresh_below(3)];
    fresh_floats(x, n, middle - 3, middle + 3);
    for (size_t i = 0; i < n; i++) high = fmaxf(high, x[i]);
    float got = vector_max_scalar(x, n);
    HINT(
        n == 0 || middle > -1 || got != 0,
        "all %zu numbers are below zero, and the largest is said to be 0: begin with -infinity",
        n);
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
        check_weighted(round % 2, 1 + fresh_below(RESULTS), fresh_below(ROWS + 1),
                       1 + fresh_below(round < 40 ? STRIP : MOST));
}

/* ---------------------------------------------------------------- the exponential */

static double ulps(float got, double want) {
    int exponent;
    frexp(want, &exponent);
    return fabs((double)got - want) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

static void check_exp(float x, float shift) {
    float got;
    vector_exp_scalar(&got, &x, shift, 1);
    double v = (double)(x - shift), want = exp(v);
    if (isnan(v)) {
        HINT(isnan(got), "exp of NaN is NaN, got %g", (double)got);
        return;
    }
    if (want > 3.4e38) want = INFINITY;
    if (v < -104) want = 0;
    if ((v > 88.7 && v < 88.8) || (v > -104.1 && v < -103.9)) return; /* on the borders */
    HINT(isinf(want) || !isinf(got),
         "exp(%g) is %.7g, got infinity: 2^m is applied in two halves, because 2^128 is none "
         "of the floats",
         v, want);
    HINT(want == 0 || got != 0,
         "exp(%g) is %.7g, got 0: 2^m is applied in two halves, because m may lie below the "
         "exponents of f32",
         v, want);
    if (isinf(want) || want == 0) {
        HINT((double)got == want,
             "exp(%g): expected %g, got %g: v is brought to EXP_LOWEST .. EXP_HIGHEST first", v,
             want, (double)got);
        return;
    }
    HINT(fabs((double)got / exp2(v) - 1) > 1e-6 || fabs(v) < 1e-3,
         "that is 2^v: m = round(v * EXP_LOG2E)");
    double ratio = (double)got / want;
    HINT(ratio < 1.9 || ratio > 2.1,
         "exp(%g) is twice as large as it should be: m and the rest r must come from the same "
         "rounding",
         v);
    HINT(ratio > 0.52 || ratio < 0.4,
         "exp(%g) is half of what it should be: half of a negative m is rounded down, too", v);
    HINT(fabs(v) < 87 || ulps(got, want) < 3.01,
         "exp(%g): expected %.7g, got %.7g: near the ends m lies outside the exponents of f32, "
         "so 2^m is "
         "applied in two halves",
         v, want, (double)got);
    HINT(ulps(got, want) < 3.01,
         "exp(%.9g): expected %.9g, got %.9g, which is %.3g units of the last place off (3 are "
         "allowed): has the polynomial all its terms, and is ln 2 taken off in two pieces?",
         v, want, (double)got, ulps(got, want));
}

GRADE(exponential) {
    for (int i = 0; i < 20000; i++) check_exp((float)fresh_between(-3, 3), 0);
    for (int i = 0; i < 20000; i++)
        check_exp((float)fresh_between(-90, 90), (float)fresh_between(-4, 4));
    for (int i = 0; i < 200; i++) check_exp((float)fresh_between(-130, 130), 0);
    float odd[] = {-INFINITY, INFINITY, NAN,   -104,    -103, -87.5f,
                   88.7f,     0,        -0.0f, -1e-30f, 1e30f};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) check_exp(odd[i], 0);
    float x[40], got[41], wide[40];
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (int round = 0; round < 2000; round++) {
        size_t n = fresh_below(41);
        float shift = (float)fresh_between(-2, 2);
        fresh_floats(x, 40, -60, 60);
        got[n] = -7;
        vector_exp_scalar(got, x, shift, n);
        HINT(got[n] == -7, "%zu numbers, and something is written behind them", n);
        list[count - 1]->vector_exp(wide, x, shift, n);
        for (size_t i = 0; i < n; i++)
            HINT(got[i] == wide[i],
                 "exp(%.9g - %.9g): %s says %.9g, yours %.9g. Every version gives the same "
                 "bits, so the operations and their order are those of the comment above "
                 "exp_one",
                 (double)x[i], (double)shift, list[count - 1]->isa, (double)wide[i],
                 (double)got[i]);
    }
    vector_exp_scalar(x, x, 0, 40);
    HINT(x[0] > 0, "out may be x");
}

/* ---------------------------------------------------------------- a faster sum */

enum { LENGTH = 4096, ARRAYS = 24 };
static float pile[ARRAYS][LENGTH + 8];

__attribute__((noinline)) static float one_sum(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* Seconds for the sums of all arrays, whose numbers are new. */
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

GRADES({"2.6", fast_sum}, {"2.2", vectors}, {"2.3", exponential})
