/* The graders of layer 3: norms. */
#include "near.h"
#include "nn.h"

enum { MOST = 5000, USUAL = 700 };
#define NEAR 2e-5

static void rms_wanted(double *want, const float *x, const float *gain, size_t n, double eps) {
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i];
    for (size_t i = 0; i < n; i++)
        want[i] = (double)x[i] / sqrt(squares / (double)n + eps) * (gain ? (double)gain[i] : 1);
}

static void check_scale(const float *x, size_t n, double e) {
    double squares = 0, sum = 0, got = (double)inverse_rms(x, n, (float)e);
    for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i], sum += (double)x[i];
    double mean = squares / (double)n, want = 1 / sqrt(mean + e), bound = NEAR * want;
    if (close_to(got, want, bound)) return;
    HINT(!close_to(got, 1 / sqrt(squares + e), bound),
         "the squares are added up, and not divided: the mean is their sum by dim");
    HINT(!close_to(got, 1 / (mean + e), bound), "no root: 1 / sqrt(mean + eps)");
    HINT(!close_to(got, sqrt(mean + e), NEAR / want),
         "that is the root itself: inverse_rms is 1 divided by it");
    HINT(!close_to(got, 1 / sqrt(mean), bound),
         "eps is left out: it is added to the mean, under the root");
    HINT(!close_to(got, 1 / (sqrt(mean) + e), bound), "eps goes under the root, with the mean");
    HINT(!close_to(got, 1 / sqrt(mean - sum * sum / (double)n / (double)n + e), bound),
         "do not subtract the mean: that is LayerNorm");
    HINT(false, "inverse_rms of %zu numbers: expected %.7g, got %.7g", n, want, got);
}

static void rms_of(const float *x, const float *gain, size_t n, float eps) {
    static float got[MOST + 1];
    static double want[MOST], slip[MOST];
    double e = (double)eps;
    check_scale(x, n, e);
    rms_wanted(want, x, gain, n, e);
    got[n] = -7;
    rms_norm(got, x, gain, n, eps);
    HINT(got[n] == -7, "something is written past the last of %zu outputs", n);
    if (all_near(got, want, n, NEAR)) return;
    rms_wanted(slip, x, NULL, n, e);
    HINT(!gain || !all_near(got, slip, n, NEAR), "the learned gain multiplies each output");
    for (size_t i = 0; gain && i < n; i++) slip[i] *= 1 + (double)gain[i];
    HINT(!gain || !all_near(got, slip, n, NEAR),
         "1 is added to the gain: a file of such a model has that in it already");
    for (size_t i = 0; gain && i < n; i++) slip[i] *= (double)gain[0] / (1 + (double)gain[i]);
    HINT(!gain || !all_near(got, slip, n, NEAR),
         "each output has a gain of its own: gain[i], not the first one's");
    expect("rms_norm", got, want, n, NEAR);
}

GRADE(norm) {
    static float x[MOST], gain[MOST];
    for (int round = 0; round < 30; round++) {
        size_t n = round == 29 ? MOST : 1 + fresh_below(round < 10 ? 8 : USUAL);
        double size = (double[]){1, 0.003, 50}[round % 3];
        fresh_floats(x, n, -size / 2, size), fresh_floats(gain, n, -1, 3);
        gain[fresh_below(n)] = 0; /* a number that is not used */
        rms_of(x, round % 5 ? gain : NULL, n, (float[]){1e-5f, 1e-6f, 0.5f, 0}[round % 4]);
    }
    memset(x, 0, sizeof x);
    rms_norm(x, x, gain, 64, 1e-5f);
    HINT(x[0] == 0 && x[63] == 0, "eps keeps a vector of zeros finite: expected 0, got %g",
         (double)x[0]);
    static double want[64];
    fresh_floats(x, 64, -2, 2), rms_wanted(want, x, gain, 64, 0.01);
    rms_norm(x, x, gain, 64, 0.01f);
    HINT(all_near(x, want, 64, NEAR),
         "out may be x itself: the mean is taken before the first output is written");
}

static void layer_wanted(double *want, const float *x, const float *gain, const float *bias,
                         size_t n, double eps, double divisor) {
    double mean = 0, var = 0;
    for (size_t i = 0; i < n; i++) mean += (double)x[i] / (double)n;
    for (size_t i = 0; i < n; i++) var += pow((double)x[i] - mean, 2) / divisor;
    for (size_t i = 0; i < n; i++)
        want[i] = ((double)x[i] - mean) / sqrt(var + eps) * (gain ? (double)gain[i] : 1) +
                  (bias ? (double)bias[i] : 0);
}

static void layer_of(const float *x, const float *gain, const float *bias, size_t n,
                     double middle) {
    static float got[MOST + 1];
    static double want[MOST], slip[MOST];
    const double eps = 1e-3, bound = 1e-4 + 1e-5 * fabs(middle);
    layer_wanted(want, x, gain, bias, n, eps, (double)n);
    got[n] = -7;
    layer_norm(got, x, gain, bias, n, (float)eps);
    HINT(got[n] == -7, "something is written past the last of %zu outputs", n);
    if (all_near(got, want, n, bound)) return;
    layer_wanted(slip, x, gain, bias, n, eps, (double)n - 1);
    HINT(n < 3 || !all_near(got, slip, n, bound),
         "divided by n - 1: the variance here is the mean of the squares, divided by n");
    layer_wanted(slip, x, NULL, bias, n, eps, (double)n);
    HINT(!gain || !all_near(got, slip, n, bound),
         "layer_norm: the learned gain multiplies each output");
    layer_wanted(slip, x, gain, NULL, n, eps, (double)n);
    HINT(!bias || !all_near(got, slip, n, bound),
         "layer_norm: the learned bias is added to each output");
    rms_wanted(slip, x, gain, n, eps);
    for (size_t i = 0; i < n; i++) slip[i] += bias ? (double)bias[i] : 0;
    HINT(!all_near(got, slip, n, bound),
         "layer_norm takes the mean off each number: that is what it has and RMSNorm has not");
    HINT(fabs(middle) < 100,
         "numbers around %g lose their digits: take the mean off first and square what is left "
         "(mean of "
         "squares less square of the mean is the small difference of two large numbers)",
         middle);
    expect("layer_norm", got, want, n, bound);
}

static void norm_of(Norm norm, size_t heads, const char *what) {
    static float x[MOST], gain[MOST], bias[MOST], got[MOST];
    static double want[MOST], slip[MOST];
    size_t w = norm.width, n = heads * w;
    fresh_floats(x, n, -1, 2), fresh_floats(gain, n, -1, 3), fresh_floats(bias, n, -1, 1);
    if (norm.gain) norm.gain = gain;
    if (norm.bias) norm.bias = bias;
    for (size_t h = 0; h < heads; h++)
        for (int first = 0; first < 2; first++) {
            size_t at = h * w, own = norm.own_gain != first ? at : 0;
            double *to = (first ? slip : want) + at;
            const float *g = norm.gain ? gain + own : NULL, *b = norm.bias ? bias + own : NULL;
            if (norm.kind == NORM_LAYER) {
                layer_wanted(to, x + at, g, b, w, (double)norm.eps, (double)w);
                continue;
            }
            rms_wanted(to, x + at, g, w, (double)norm.eps);
            for (size_t i = 0; b && i < w; i++) to[i] += (double)b[i];
        }
    norm_apply(&norm, got, x, n);
    if (all_near(got, want, n, 1e-4)) return;
    HINT(heads == 1 || !all_near(got, slip, n, 1e-4),
         norm.own_gain ? "%s: with own_gain head h takes the gains and biases h * width .."
                       : "%s: without own_gain all heads share the same width gains",
         what);
    rms_wanted(slip, x, norm.gain, n, (double)norm.eps);
    HINT(heads == 1 || norm.own_gain || !all_near(got, slip, w, 1e-4),
         "%s: each `width` numbers have a mean of their own, not the row as a whole", what);
    HINT(heads == 1 || !all_near(got, want, w, 1e-4) || all_near(got + w, want + w, w, 1e-4),
         "%s: the first head is right, the second is not: walk through all n numbers, width at "
         "a time",
         what);
    rms_wanted(slip, x, norm.gain, w, (double)norm.eps);
    HINT(!norm.bias || norm.kind != NORM_RMS || !all_near(got, slip, w, 1e-4),
         "%s: a norm's bias is added, with RMSNorm as well", what);
    expect(what, got, want, n, 1e-4);
}

GRADE(every_norm) {
    static float x[MOST], gain[MOST], bias[MOST], got[MOST];
    static double want[MOST];
    for (int round = 0; round < 20; round++) {
        size_t n = round == 14 ? MOST : 5 + fresh_below(100);
        double middle = round < 15 ? 0.7 : 3000;
        fresh_floats(x, n, middle - 1, middle + 1), fresh_floats(gain, n, -1, 3),
            fresh_floats(bias, n, -1, 1);
        layer_of(x, round % 3 ? gain : NULL, round % 4 ? bias : NULL, n, middle);
    }
    fresh_floats(x, 50, -1, 2);
    layer_wanted(want, x, gain, bias, 50, 1e-3, 50);
    layer_norm(x, x, gain, bias, 50, 1e-3f);
    HINT(all_near(x, want, 50, 1e-4), "layer_norm: out may be x itself");
    norm_apply(&(Norm){.kind = NORM_NONE}, got, x, 50);
    HINT(memcmp(got, x, 50 * sizeof *x) == 0,
         "NORM_NONE: there is no norm, and out becomes a copy of x");
    norm_apply(&(Norm){.kind = NORM_NONE}, got, got, 50);
    HINT(memcmp(got, x, 50 * sizeof *x) == 0, "NORM_NONE: out may be x itself");
    for (int round = 0; round < 24; round++) {
        static const float there[1];
        size_t width = round % 8 == 5 ? 300 : 2 + fresh_below(30), heads = 1 + fresh_below(6);
        Norm norm = {.kind = round % 2 ? NORM_RMS : NORM_LAYER,
                     .width = width,
                     .eps = 1e-3f,
                     .gain = round % 5 ? there : NULL,
                     .bias = round % 4 < 2 ? there : NULL,
                     .own_gain = round % 3 == 0};
        char what[64];
        snprintf(what, sizeof what, "norm_apply, %s over %zu heads%s",
                 round % 2 ? "RMSNorm" : "LayerNorm", heads,
                 norm.own_gain ? " with gains of their own" : "");
        norm_of(norm, heads, what);
    }
}

GRADES({"3.4", norm}, {"3.5", every_norm})
