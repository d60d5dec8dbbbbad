/* The grader of layer 2: the exponential, the same to the bit on every instruction set. */
#include "../src/kernels/kernel_table.h"
#include "linalg.h"
#include "near.h"

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
         "exp(%g) is %.7g, got infinity: apply 2^m in two halves, because 2^128 is not a float",
         v, want);
    HINT(want == 0 || got != 0,
         "exp(%g) is %.7g, got 0: apply 2^m in two halves, because m may be below the "
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
         "exp(%g): expected %.7g, got %.7g: near the ends m is outside the exponents of f32, "
         "so apply 2^m in two halves",
         v, want, (double)got);
    HINT(ulps(got, want) < 3.01,
         "exp(%.9g): expected %.9g, got %.9g, which is %.3g units of the last place off (3 are "
         "allowed): has the polynomial all its terms, and is ln 2 subtracted in two pieces?",
         v, want, (double)got, ulps(got, want));
}

/* The widest version of this machine has to give the same. */
static void check_bits(const float *x, float shift, size_t n) {
    enum { ROW = 4096 };
    static float got[ROW + 1], wide[ROW];
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    got[n] = -7;
    vector_exp_scalar(got, x, shift, n);
    HINT(got[n] == -7, "%zu numbers, and something is written past them", n);
    list[count - 1]->vector_exp(wide, x, shift, n);
    for (size_t i = 0; i < n; i++)
        HINT(got[i] == wide[i],
             "exp(%.9g - %.9g): %s says %.9g, yours %.9g. Every version gives the same "
             "bits, so the operations and their order are those of the comment above "
             "exp_one",
             (double)x[i], (double)shift, list[count - 1]->isa, (double)wide[i],
             (double)got[i]);
}

/* Numbers of any size, very many of them: one rounding more or less is seen once in a hundred
 * thousand.  And those that are half-way between two integers m. */
static void same_bits(void) {
    static float x[4096];
    for (int round = 0; round < 2000; round++) {
        fresh_floats(x, 40, -60, 60);
        check_bits(x, (float)fresh_between(-2, 2), fresh_below(41));
    }
    for (int round = 0; round < 400; round++) {
        fresh_floats(x, 4096, -104, 89);
        check_bits(x, 0, 4096);
    }
    size_t n = 0;
    for (int m = -100; m < 100; m++)
        for (float v = nextafterf((float)((m + 0.5) * 0.6931471805599453), -200),
                   *end = x + 4096;
             v * 1.44269504f <= (float)m + 0.5f && x + n < end; v = nextafterf(v, 200))
            if (v * 1.44269504f == (float)m + 0.5f) x[n++] = v;
    check_bits(x, 0, n);
}

GRADE(exponential) {
    for (int i = 0; i < 20000; i++) check_exp((float)fresh_between(-3, 3), 0);
    for (int i = 0; i < 20000; i++)
        check_exp((float)fresh_between(-90, 90), (float)fresh_between(-4, 4));
    for (int i = 0; i < 200; i++) check_exp((float)fresh_between(-130, 130), 0);
    float odd[] = {-INFINITY, INFINITY, NAN, -104,  -103.5f, -103.2f, -103,
                   -87.5f,    88.7f,    0,   -0.0f, -1e-30f, 1e30f};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) check_exp(odd[i], 0);
    same_bits();
    float x[40];
    fresh_floats(x, 40, -3, 3);
    vector_exp_scalar(x, x, 0, 40);
    HINT(x[0] > 0, "out may be x");
}

GRADES({"2.3", exponential})
