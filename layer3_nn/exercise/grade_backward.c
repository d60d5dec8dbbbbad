/* The graders of layer 3: gradients.  The right answer is a central difference of the forward
 * pass in double precision, which knows nothing of the formulas; the slips are formulas. */
#include "near.h"
#include "nn.h"

enum { MOST = 600 };
#define NEAR 1e-4

/* d (sum w f(x)) / d x[i], by nudging x[i]. */
typedef double Weighed(const double *x, size_t n, const void *context);
static void differences(Weighed *f, double *x, size_t n, const void *context, double *out) {
    for (size_t i = 0; i < n; i++) {
        double keep = x[i], h = 1e-5, up;
        x[i] = keep + h, up = f(x, n, context);
        x[i] = keep - h, out[i] = (up - f(x, n, context)) / (2 * h);
        x[i] = keep;
    }
}

static void widen(double *to, const float *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = (double)from[i];
}

/* ---------------------------------------------------------------- softmax */

static double softmax_weighed(const double *x, size_t n, const void *context) {
    const float *w = context;
    double sum = 0, result = 0;
    for (size_t i = 0; i < n; i++) sum += exp(x[i]);
    for (size_t i = 0; i < n; i++) result += (double)w[i] * exp(x[i]) / sum;
    return result;
}

typedef enum { PLAIN, PEAKED, LARGE } Scores;

static void check_softmax(size_t n, bool in_place, Scores kind) {
    static float y[MOST], dy[MOST], got[MOST + 1], apart[MOST];
    static double x[MOST], want[MOST], slip[MOST];
    double sum = 0, mean = 0, plain = 0;
    fresh_floats(dy, n, kind == LARGE ? -40 : -1, kind == LARGE ? 60 : 3);
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] = fresh_between(-2, 2) + (kind == PEAKED && i == n / 2 ? 11 : 0));
    for (size_t i = 0; i < n; i++)
        y[i] = (float)(exp(x[i]) / sum), mean += (double)y[i] * (double)dy[i],
        plain += (double)dy[i];
    differences(softmax_weighed, x, n, dy, want);
    memcpy(got, dy, n * sizeof *dy);
    got[n] = -7;
    softmax_backward(got, y, in_place ? got : dy, n);
    HINT(got[n] == -7, "something is written past the last of %zu gradients", n);
    if (all_near(got, want, n, NEAR)) return;
    for (int k = 0; k < 6; k++) {
        for (size_t i = 0; i < n; i++) {
            double p = (double)y[i], d = (double)dy[i];
            slip[i] = k == 0   ? p * d
                      : k == 1 ? p * (1 - p) * d
                      : k == 2 ? p * (d - plain)
                      : k == 3 ? d - mean
                      : k == 4 ? p * (mean - d)
                               : p * (d - plain / (double)n);
        }
        if (n < 3 || kind == PEAKED || !all_near(got, slip, n, NEAR)) continue;
        HINT(k != 0, "every output depends on every score through the sum: what is missing is "
                     "- y[i] * sum_j y[j] dy[j]");
        HINT(k != 1, "y (1 - y) is how a probability moves with its own score; the others "
                     "move, too: that is the sum over j");
        HINT(k != 2 && k != 5, "the sum is weighted by the probabilities: sum_j y[j] dy[j]");
        HINT(k != 3, "a score's gradient is in proportion to its probability: times y[i]");
        HINT(k != 4, "the sign: dy[i] minus the sum, not the sum minus dy[i]");
    }
    double total = 0;
    for (size_t i = 0; i < n; i++) total += (double)got[i];
    softmax_backward(apart, y, dy, n);
    HINT(!in_place || !all_near(apart, want, n, NEAR),
         "dx may be dy itself: the sum needs every dy before the first dx is written");
    HINT(fabs(total) < 1e-3,
         "raising all scores alike changes nothing, so the gradients add up to 0, got %g (%zu "
         "scores)",
         total, n);
    expect(kind == PEAKED  ? "dx of many scores, one far above the others, whose small "
                             "probabilities count, too"
           : kind == LARGE ? "dx of large dy, as large as they come"
                           : "dx",
           got, want, n, NEAR);
}

GRADE(softmax_back) {
    for (int round = 0; round < 20; round++)
        check_softmax(round ? 1 + fresh_below(60) : 3, round % 2, PLAIN);
    for (int round = 0; round < 2; round++) check_softmax(MOST, round, PEAKED);
    check_softmax(MOST - 300, false, PLAIN), check_softmax(9, false, LARGE);
}

/* ---------------------------------------------------------------- RMSNorm */

typedef struct NormCase {
    const float *dy;
    double eps;
} NormCase;

static double rms_weighed(const double *x, size_t n, const void *context) { /* x, then gain */
    const NormCase *c = context;
    double squares = 0, sum = 0;
    for (size_t i = 0; i < n / 2; i++) squares += x[i] * x[i] / (double)(n / 2);
    for (size_t i = 0; i < n / 2; i++)
        sum += (double)c->dy[i] * x[i] / sqrt(squares + c->eps) * x[n / 2 + i];
    return sum;
}

static void slip_of_norm(int k, const float *x, const float *gain, const float *dy, size_t n,
                         double eps, const double *before, double *out) {
    double squares = 0, along = 0;
    for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i];
    double r = 1 / sqrt(squares / (double)n + eps);
    for (size_t j = 0; j < n; j++)
        along += (double)dy[j] * (k == 1 ? 1 : (double)gain[j]) * (double)x[j];
    along *= k == 0   ? 0
             : k == 2 ? r * r / (double)n
             : k == 3 ? r * r * r
                      : r * r * r / (double)n;
    for (size_t i = 0; i < n; i++) {
        out[i] = r * (k == 4 ? 1 : (double)gain[i]) * (double)dy[i] -
                 (k == 6 ? -1 : 1) * along * (k == 7 ? 1 : (double)x[i]);
        out[i] += k == 5 ? 0 : before[i];
    }
}

static void check_rms(size_t n, double size, double eps) {
    static const char *const hints[] = {
        "each x changes the mean of squares, and with it every output: what is missing is the "
        "second term, - x[i] * r^3 / dim * sum_j dy[j] gain[j] x[j]",
        "the sum is of dy[j] gain[j] x[j]: the gain is missing in it",
        "the second term has r to the third power: the root's derivative is -r^3 / 2, times 2 "
        "x / dim",
        "the second term is divided by dim: it comes from a mean",
        "the first term is r * gain[i] * dy[i]: the gain is missing",
        "dx is added to: what other paths have put there stays",
        "the sign of the second term: a larger x makes the root larger and the outputs smaller",
        "the second term points along x: times x[i]",
    };
    static float x[2 * MOST], dy[MOST], dx[MOST], dgain[MOST];
    static double wide[2 * MOST], want[2 * MOST], slip[MOST], before[2 * MOST];
    fresh_floats(x, n, -size, 2 * size), fresh_floats(x + n, n, 0.5, 3),
        fresh_floats(dy, n, -1, 1);
    fresh_floats(dx, n, -1, 1), fresh_floats(dgain, n, -1, 1);
    widen(wide, x, 2 * n), widen(before, dx, n), widen(before + n, dgain, n);
    differences(rms_weighed, wide, 2 * n, &(NormCase){dy, eps}, want);
    for (size_t i = 0; i < 2 * n; i++) want[i] += before[i];
    rms_norm_backward(dx, dgain, x, x + n, dy, n, (float)eps);
    for (int k = 0; k < 8 && n > 2 && !all_near(dx, want, n, NEAR); k++) {
        slip_of_norm(k, x, x + n, dy, n, eps, before, slip);
        HINT(!all_near(dx, slip, n, NEAR), "%s", hints[k]);
    }
    expect("dx", dx, want, n, NEAR);
    if (all_near(dgain, want + n, n, NEAR)) return;
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i];
    for (size_t i = 0; i < n; i++) slip[i] = before[n + i] + (double)dy[i] * (double)x[i];
    HINT(!all_near(dgain, slip, n, NEAR),
         "dgain[i] is dy[i] times what the gain multiplied: x[i] * r, the normalized number");
    for (size_t i = 0; i < n; i++) slip[i] = want[n + i] - before[n + i];
    HINT(!all_near(dgain, slip, n, NEAR), "dgain is added to: one gain serves every token, and "
                                          "the gradients of all of them add up");
    expect("dgain", dgain, want + n, n, NEAR);
}

GRADE(norm_back) {
    for (int round = 0; round < 20; round++)
        check_rms(round ? 1 + fresh_below(40) : 4, round % 2 ? 1 : 0.2, round % 3 ? 1e-3 : 0.3);
}

/* ---------------------------------------------------------------- SwiGLU */

static double swiglu_weighed(const double *x, size_t n,
                             const void *context) { /* gate, then up */
    const float *w = context;
    double sum = 0;
    for (size_t i = 0; i < n / 2; i++)
        sum += (double)w[i] * x[i] / (1 + exp(-x[i])) * x[n / 2 + i];
    return sum;
}

static void swiglu_wanted(const float *gate, const float *up, const float *dout, size_t n,
                          double *dgate, double *dup) {
    double pair[2];
    for (size_t i = 0; i < n; i++) {
        double at[2] = {(double)gate[i], (double)up[i]};
        differences(swiglu_weighed, at, 2, &dout[i], pair);
        dgate[i] = pair[0], dup[i] = pair[1];
    }
}

static void check_swiglu(size_t n, bool in_place) {
    static float gate[MOST], up[MOST], dout[MOST], dgate[MOST], dup[MOST];
    static double want[2][MOST], slip[MOST];
    fresh_floats(gate, n, -6, 6), fresh_floats(up, n, -3, 3), fresh_floats(dout, n, -2, 2);
    memcpy(dgate, gate, sizeof gate), memcpy(dup, up, sizeof up);
    swiglu_wanted(gate, up, dout, n, want[0], want[1]);
    swiglu_backward(dgate, dup, in_place ? dgate : gate, in_place ? dup : up, dout, n);
    if (all_near(dgate, want[0], n, NEAR) && all_near(dup, want[1], n, NEAR)) return;
    HINT(!all_near(dgate, want[1], n, NEAR) || !all_near(dup, want[0], n, NEAR),
         "dgate and dup are exchanged");
    for (size_t i = 0; i < n; i++) slip[i] = (double)dout[i] * (double)gate[i];
    HINT(!all_near(dup, slip, n, NEAR),
         "dup is dout times what up was multiplied by: silu(gate), not gate itself");
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < n; i++) {
            double g = (double)gate[i], s = 1 / (1 + exp(-g)), d = (double)dout[i],
                   u = (double)up[i];
            slip[i] = k == 0   ? d * u * s
                      : k == 1 ? d * u * s * (1 - s)
                      : k == 2 ? d * s * (1 + g * (1 - s))
                               : d * u * s * (1 + g);
        }
        if (!all_near(dgate, slip, n, NEAR)) continue;
        HINT(k != 0, "silu is a product, g times s(g): its derivative is s + g s', and the "
                     "second term is missing");
        HINT(k != 1, "that is the sigmoid's own derivative, s (1 - s): silu(g) = g s(g) has s "
                     "+ g s (1 - s)");
        HINT(k != 2,
             "dgate: up is a factor of the output, so it is one of the gate's gradient");
        HINT(k != 3, "the sigmoid's derivative is s (1 - s): the factor 1 - s is missing");
    }
    HINT(!in_place,
         "dgate and dup may be gate and up themselves: read both before you write either");
    HINT(n <= 256 || !all_near(dgate, want[0], 256, NEAR) || !all_near(dup, want[1], 256, NEAR),
         "the first 256 are right, those after them are not: go on with the next chunk");
    expect("dgate", dgate, want[0], n, NEAR);
    expect("dup", dup, want[1], n, NEAR);
}

GRADE(swiglu_back) {
    for (int round = 0; round < 12; round++)
        check_swiglu(round > 9 ? MOST : 1 + fresh_below(round % 3 ? 60 : MOST), round % 2);
}

GRADES({"3.13", softmax_back}, {"3.14", norm_back}, {"3.15", swiglu_back})
