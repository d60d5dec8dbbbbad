/* The graders of layer 3: scores to probabilities, and how surprising a token was.  The right
 * answer is computed here in double precision; known slips are computed, too, so that they can
 * be named. */
#include "near.h"
#include "nn.h"

enum { MOST = 5000, LONGEST = 150000 /* a vocabulary */, USUAL = 700 };
#define NEAR 2e-5

static void exponentials(const float *x, double *e, size_t n, double shift) {
    for (size_t i = 0; i < n; i++) e[i] = exp((double)x[i] - shift);
}

static double sum_of(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

static double largest_of(const float *x, size_t n) {
    double max = (double)x[0];
    for (size_t i = 1; i < n; i++) max = fmax(max, (double)x[i]);
    return max;
}

static void scale_all(double *x, size_t n, double factor) {
    for (size_t i = 0; i < n; i++) x[i] *= factor;
}

static void probabilities_of(const float *x, size_t n) {
    static float got[LONGEST + 1];
    static double want[LONGEST], slip[LONGEST];
    double max = largest_of(x, n);
    exponentials(x, want, n, max);
    scale_all(want, n, 1 / sum_of(want, n));
    got[n] = -7;
    softmax(got, x, n);
    HINT(got[n] == -7, "%zu scores, and something is written past the last output", n);
    bool right = all_near(got, want, n, NEAR);
    for (size_t i = 0; i < n && right; i++)
        HINT(want[i] < 1e-35 || fabs((double)got[i] - want[i]) < 1e-4 * want[i],
             "a small probability is small, and not another: expected %.7g, got %.7g (score "
             "%zu, %g below the largest)",
             want[i], (double)got[i], i, max - (double)x[i]);
    if (right) return;
    exponentials(x, slip, n, max);
    HINT(!all_near(got, slip, n, NEAR),
         "the probabilities do not add up to 1 (%g): divide by the sum of the "
         "exponentials",
         sum_of(slip, n));
    scale_all(slip, n, 1 / (double)n);
    HINT(!all_near(got, slip, n, NEAR),
         "divided by how many there are (%zu): divide by the sum of the exponentials", n);
    scale_all(slip, n, (double)n / sum_of((exponentials(x, slip, n, 0), slip), n));
    double plain = 0;
    for (size_t i = 0; i < n; i++) plain += (double)x[i], slip[i] = exp((double)x[i] - max);
    scale_all(slip, n, 1 / plain);
    HINT(!all_near(got, slip, n, NEAR),
         "divided by the sum of the scores: it is the sum of their exponentials");
    for (size_t i = 0; i < n; i++)
        HINT(!isnan(got[i]),
             "%zu scores around %g give NaN: subtract the largest score, whatever its sign and "
             "place, "
             "before you take exponentials (exp(1000) is infinite, 0/0 is not a number)",
             n, max);
    expect("softmax", got, want, n, NEAR);
}

GRADE(probabilities) {
    static float x[LONGEST], again[MOST];
    for (int round = 0; round < 20; round++) {
        size_t n = round == 0 ? 3 : round == 19 ? MOST : 1 + fresh_below(USUAL);
        fresh_floats(x, n, 0.5, 4);
        probabilities_of(x, n);
    }
    for (int round = 0; round < 8; round++) {
        size_t n = 2 + fresh_below(60);
        double middle = (double[]){1000, -1000, 90, -110, 3e4, -3e4, 0, 80}[round];
        fresh_floats(x, n, middle - 20, middle + 20);
        x[0] = (float)middle - 150; /* the first is not the largest */
        probabilities_of(x, n);
        x[fresh_below(n)] = -INFINITY;
        x[n - 1] = (float)middle;
        probabilities_of(x, n);
    }
    fresh_floats(x, MOST, -20, 20), x[MOST - 1 - fresh_below(9)] = 200; /* the largest, late */
    probabilities_of(x, MOST);
    fresh_floats(x, LONGEST, -4, 4);
    probabilities_of(x, LONGEST);
    fresh_floats(x, 40, -3, 3), memcpy(again, x, sizeof again);
    softmax(again, again, 40), softmax(x + 100, x, 40);
    HINT(memcmp(again, x + 100, 40 * sizeof *x) == 0,
         "out may be x itself: read what you need before you write over it");
    x[7] = NAN;
    softmax(again, x, 40);
    HINT(isnan(again[0]) && isnan(again[39]), "a score that is NaN makes all probabilities NaN "
                                              "(softmax.h: Needs), because their sum is");
    softmax(again, &(float){NAN}, 1);
    HINT(isnan(again[0]), "one score, and that is NaN: its probability is NaN, too, not %g",
         (double)again[0]);
}

static double surprise(const float *x, size_t n, size_t target) {
    double max = largest_of(x, n), sum = 0;
    for (size_t i = 0; i < n; i++) sum += exp((double)x[i] - max);
    return max + log(sum) - (double)x[target];
}

#define ROUNDED 3e-4 /* a float near 1000 is off by 3e-5, and so is its exponential */
static void check_loss(float *x, size_t n, size_t target, float scale) {
    static double want[MOST], slip[MOST];
    double loss = surprise(x, n, target), total = loss + (double)x[target], s = (double)scale,
           got = cross_entropy(x, n, target);
    HINT(near(log_sum_exp(x, n), total, NEAR),
         "log_sum_exp of %zu scores up to %g: expected %.7g, got %.7g: with the largest "
         "score subtracted nothing overflows, and it is added again at the end",
         n, largest_of(x, n), total, log_sum_exp(x, n));
    HINT(!near(got, loss / log(2), NEAR) || loss < 1e-3, "the loss is in nats: log, not log2");
    HINT(!near(got, -loss, NEAR) || loss < 1e-3,
         "a surprise is never negative: log-sum-exp minus the target's logit");
    HINT(near(got, loss, 2e-6) || !near(got, loss, NEAR),
         "the loss is a double, %.9g, and this is one only as a float has it, %.9g: near 1000 "
         "floats are 0.00006 apart",
         loss, got);
    HINT(near(got, loss, NEAR), "cross_entropy: expected %.7g, got %.7g", loss, got);
    for (size_t i = 0; i < n; i++) want[i] = s * (exp((double)x[i] - total) - (i == target));
    double again = cross_entropy_backward(x, n, target, scale);
    HINT(!near(again, s * loss, NEAR) || near(again, loss, NEAR),
         "scale belongs to the gradient: the loss is returned as it is");
    HINT(near(again, loss, 2e-6),
         "the backward pass returns the loss, too, as a double: expected %.9g, got %.9g", loss,
         again);
    for (size_t i = 0; i < n && all_near(x, want, n, ROUNDED); i++)
        HINT(i == target || fabs((double)x[i] - want[i]) <= 1e-3 * fabs(want[i]) + 1e-35,
             "a small gradient is small, and not another: expected %.7g, got %.7g (%zu of %zu)",
             want[i], (double)x[i], i, n);
    if (all_near(x, want, n, ROUNDED)) return;
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < n; i++) {
            double p = want[i] / s + (i == target);
            slip[i] = k == 0   ? s * p
                      : k == 1 ? p - (i == target)
                      : k == 2 ? s * p - (i == target)
                               : -want[i];
        }
        if (!all_near(x, slip, n, ROUNDED)) continue;
        HINT(k != 0, "the target's gradient is its probability less 1");
        HINT(k != 1,
             "the gradient is that of scale * loss: every number is multiplied by scale");
        HINT(k != 2, "the 1 at the target is multiplied by scale, too: subtract it first");
        HINT(k != 3, "the sign: probability less 1 at the target, so that a step against the "
                     "gradient raises it");
    }
    expect("the gradient", x, want, n, ROUNDED);
}

GRADE(loss) {
    static float x[MOST];
    for (int round = 0; round < 24; round++) {
        size_t n = round == 8   ? MOST
                   : round == 9 ? 1
                                : 2 + fresh_below(USUAL - 1),
               target = round == 5   ? n - 1
                        : round == 6 ? 0
                                     : fresh_below(n);
        double middle = (double[]){0, 1000, -1000, 3}[round % 4];
        fresh_floats(x, n, middle - 4, middle + 4);
        if (round % 3 == 2 && n > 1) x[(target + 1) % n] = -INFINITY;
        check_loss(x, n, target, round % 2 ? 1 : (float)fresh_between(0.01, 20));
    }
}

GRADES({"3.1", probabilities}, {"3.11", loss})
