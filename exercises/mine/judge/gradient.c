/* gradient.c - chapters 9 and 10: the gradients of a block, measured by small steps, and AdamW.
 * There is no backward here.  See block.h. */
#include "block.h"

/* ------------------------------------------------------------------ 9 */

/* dy . block(x): the gradient of this by anything is what backward gives. */
static double along(Sizes s, const double *w, double x[ROWS][DIM], double dy[ROWS][DIM]) {
    double y[ROWS][DIM], sum = 0;
    memcpy(y, x, sizeof y);
    block_way(0, s, w, y);
    for (int i = 0; i < s.n; i++)
        for (int j = 0; j < s.dim; j++) sum += y[i][j] * dy[i][j];
    return sum;
}

static double slope(Sizes s, double *w, double x[ROWS][DIM], double dy[ROWS][DIM], double *by) {
    double was = *by, step = 1e-5, up;
    *by = was + step;
    up = along(s, w, x, dy);
    *by = was - step;
    up -= along(s, w, x, dy);
    *by = was;
    return up / (2 * step);
}

static const char SCORES_HINT[] =
    "through the softmax, subtract the weighted mean of all weights' gradients from each, then "
    "scale; "
    "rotate back what was rotated; and x of d w = d y^T x is the normed row";
static const char GAIN_HINT[] = "d gain is the sum of d out times x / rms over all rows";

/* Known by the numbers: a sum taken for a mean, a scale left out. */
static void judge_factor(const char *name, const double *got, const double *want, int n,
                         int cols, double factor, const char *hint) {
    double wrong[DIM * HIDDEN];
    for (int i = 0; i < n; i++) wrong[i] = factor * want[i];
    need(!alike_rows(got, wrong, (size_t)n, cols), "the gradient of %s %s", name, hint);
}

/* Say which of the parts is wrong, from the end of the block, where its backward begins. */
static void judge_parts(Sizes s, const double *got, const double *want) {
    int d = s.dim * s.dim, f = s.dim * s.hidden, x = s.n * s.dim, at = x;
    const struct {
        const char *name, *hint;
        int size;
    } parts[] = {
        {"gain1", GAIN_HINT, s.dim},
        {"q", SCORES_HINT, d},
        {"k", SCORES_HINT, d},
        {"v",
         "dv is the transposed weights times d mixed, not rotated back; x of d w = d y^T x is "
         "the "
         "normed row",
         d},
        {"out",
         "d w = d y^T x, with attention's output as x; and d y is what came straight through "
         "plus what came back through the second norm: r (dy g - x r^2 mean(dy g x))",
         d},
        {"gain2", GAIN_HINT, s.dim},
        {"gate",
         "g sigmoid(g) has the slope s (1 + g (1 - s)), times up; x of d w = d y^T x is the "
         "normed row",
         f},
        {"up",
         "d up is d times g sigmoid(g), with d = W_d^T dy; x of d w = d y^T x is the normed "
         "row",
         f},
        {"down", "d w = d y^T x, with the gated rows as x", f},
    };
    int starts[9];
    for (int i = 0; i < 9; at += parts[i++].size) starts[i] = at;
    need(!alike(got, want + x, (size_t)weights_of(s)),
         "first the gradient by the rows, then those of the weights");
    for (int i = 9; i-- > 0;) {
        const double *g = got + starts[i], *w = want + starts[i];
        int cols = i == 8 ? s.hidden : s.dim;
        if (alike_rows(g, w, (size_t)parts[i].size, cols)) continue;
        judge_factor(parts[i].name, g, w, parts[i].size, cols, 1.0 / s.n,
                     "is a mean over the rows: it should be the sum");
        judge_factor(
            parts[i].name, g, w, parts[i].size, cols, sqrt(s.dim / s.heads),
            "is too large by the root of a head's size: scores were divided by it, and so "
            "are their gradients");
        refuse("the gradient of %s: got %g ..., expected %g ...; %s", parts[i].name, g[0], w[0],
               parts[i].hint);
    }
    need(alike_rows(got, want, (size_t)x, s.dim),
         "all weights are right, the rows are not: got %g ..., expected %g ...; each half is x "
         "+ f(x), so its gradient adds to the one that goes straight through, and passes the "
         "norm's own backward",
         got[0], want[0]);
}

void chapter_gradient(void) {
    double w[MOST], x[ROWS][DIM], dy[ROWS][DIM],
        *want = calloc(ROWS * DIM + MOST, sizeof *want);
    FILE *in = judge_input("in");
    Sizes s = random_block(in, judge_between(5, SHORT), w, x);
    int n = s.n * s.dim;
    need(want, "the judge: no memory");
    for (int i = 0; i < s.n; i++) {
        judge_fill(dy[i], (size_t)s.dim, 1);
        judge_numbers(in, dy[i], (size_t)s.dim);
    }
    fclose(in);
    Reply r = ask("gradient");
    need(r.n == (size_t)(n + weights_of(s)),
         "%d numbers for the rows and %d for the weights expected, got %zu", n, weights_of(s),
         r.n);
    for (int i = 0; i < n; i++) want[i] = slope(s, w, x, dy, &x[i / s.dim][i % s.dim]);
    for (int i = 0; i < weights_of(s); i++) want[n + i] = slope(s, w, x, dy, &w[i]);
    judge_parts(s, r.numbers, want);
    free(want);
}

/* ------------------------------------------------------------------ 10 */

enum {
    COUPLED = 1,
    UNFAIR = 2,
    NO_CLIP = 4,
    CLIP_EACH = 8,
    NO_DECAY = 16,
    NO_ROOT = 32,
    FULL_DECAY = 64,
    SHRUNK_FIRST = 128,
    NO_EPS = 256
};
typedef struct Rule {
    double rate, beta1, beta2, decay, clip;
} Rule;

static void adamw_way(int way, Rule u, int n, int steps, const double *start,
                      const double (*gradient)[8], double *out) {
    double w[8], mean[8] = {0}, square[8] = {0};
    memcpy(w, start, sizeof w);
    for (int t = 1; t <= steps; t++) {
        double length = 0;
        for (int i = 0; i < n; i++) length += gradient[t - 1][i] * gradient[t - 1][i];
        length = sqrt(length);
        for (int i = 0; i < n; i++) {
            double g = gradient[t - 1][i];
            if (way & CLIP_EACH)
                g = fmax(-u.clip, fmin(u.clip, g));
            else if (length > u.clip && !(way & NO_CLIP))
                g *= u.clip / length;
            if (way & COUPLED) g += u.decay * w[i];
            mean[i] = u.beta1 * mean[i] + (1 - u.beta1) * g;
            square[i] = u.beta2 * square[i] + (1 - u.beta2) * g * g;
            double m = mean[i] / (way & UNFAIR ? 1 : 1 - pow(u.beta1, t)),
                   v = square[i] / (way & UNFAIR ? 1 : 1 - pow(u.beta2, t));
            double step = m / ((way & NO_ROOT ? v : sqrt(v)) + (way & NO_EPS ? 0 : 1e-8));
            double decay = way & (COUPLED | NO_DECAY)
                               ? 0
                               : u.decay * w[i] / (way & FULL_DECAY ? u.rate : 1);
            w[i] -= u.rate * (step + decay);
            out[(t - 1) * n + i] = w[i];
        }
    }
}

void chapter_adamw(void) {
    static const Mistake mistakes[] = {
        {COUPLED, "the decay is in the gradient, and Adam divides it away again: it belongs "
                  "into the step, next to the quotient"},
        {UNFAIR, "both means begin at 0 and are too small at first: divide them by 1 - beta^t, "
                 "t counted from 1"},
        {NO_CLIP,
         "if all gradients together are longer than clip, they are scaled down to that length"},
        {CLIP_EACH, "clipping is by the length of the whole gradient, not number by number"},
        {NO_DECAY, "the weights do not decay: also subtract rate times decay times w"},
        {FULL_DECAY, "the decay is multiplied by the rate"},
        {NO_ROOT, "divide by the square root of the mean square"},
        {NO_EPS, "1e-8 is added to the root: it tames weights whose gradients are as small"}};
    double w[8], gradient[40][8], want[320], wrong[320];
    int n = judge_between(4, 8), steps = judge_between(24, 40);
    Rule u = {judge_between(5, 9) / 100.0, judge_between(70, 85) / 100.0,
              judge_between(95, 99) / 100.0, judge_between(2, 6) / 10.0,
              judge_between(10, 20) / 10.0};
    FILE *in = judge_input("in");
    fprintf(in, "%d %d\n%g %g %g %g %g\n", n, steps, u.rate, u.beta1, u.beta2, u.decay, u.clip);
    judge_fill(w, (size_t)n, 2);
    judge_numbers(in, w, (size_t)n);
    for (int t = 0; t < steps; t++) {
        judge_fill(gradient[t], (size_t)n - 1, t % 2 ? 2 : 0.2);
        judge_numbers(in, gradient[t], (size_t)n - 1);
        gradient[t][n - 1] =
            1e-8 * judge_between(1, 3); /* as small as what is added to the root */
        fprintf(in, "%.9f\n", gradient[t][n - 1]);
    }
    fclose(in);
    size_t all = (size_t)(n * steps);
    Reply r = ask("adamw");
    need(r.n == all, "%d lines of %d weights expected, one after each step; got %zu numbers",
         steps, n, r.n);
    adamw_way(0, u, n, steps, w, gradient, want);
    if (alike_rows(r.numbers, want, all, n)) return;
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        adamw_way(mistakes[m].flag, u, n, steps, w, gradient, wrong);
        need(!alike_rows(r.numbers, wrong, all, n), "%s", mistakes[m].hint);
    }
    compare("AdamW (a row is a step)", r.numbers, want, (int)all, n);
}
