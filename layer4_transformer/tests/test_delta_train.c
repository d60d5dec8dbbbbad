/* the delta rule backward: every gradient against differences in double precision */
#include "check.h"
#include "delta_train.h"

#include <math.h>

enum { KEYS = 2, HEADS = 4, MOST = 20, TOKENS = 9, ROW = (2 * KEYS + HEADS) * MOST };

/* All inputs of the heads, one after the other; the loss is a weighted sum of the outputs. */
typedef struct Read {
    double qkv[TOKENS * ROW], beta[TOKENS * HEADS], rate[TOKENS * HEADS];
} Read;

static const size_t starts[] = {0, 4, 4, TOKENS}; /* one sequence is empty */
static Read text;
static float qkv[TOKENS * ROW], beta[TOKENS * HEADS], rate[TOKENS * HEADS],
    dout[TOKENS * HEADS * MOST], out[TOKENS * HEADS * MOST];

static void fresh(size_t d) {
    uint64_t seed = d;
    size_t row = (2 * KEYS + HEADS) * d;
    for (size_t i = 0; i < TOKENS * row; i++) qkv[i] = check_noise(&seed);
    for (size_t i = 0; i < TOKENS; i++)
        for (size_t h = 0; h < 2 * KEYS; h++) l2_norm(qkv + i * row + h * d, d, 1e-6f);
    for (size_t i = 0; i < TOKENS * HEADS; i++)
        beta[i] = fabsf(check_noise(&seed)), rate[i] = -fabsf(check_noise(&seed));
    for (size_t i = 0; i < TOKENS * HEADS * d; i++) dout[i] = check_noise(&seed);
    for (size_t i = 0; i < TOKENS * row; i++) text.qkv[i] = (double)qkv[i];
    for (size_t i = 0; i < TOKENS * HEADS; i++)
        text.beta[i] = (double)beta[i], text.rate[i] = (double)rate[i];
}

/* One token of one head by the formula; returns its part of the loss. */
static double read_token(double *s, size_t i, size_t h, size_t d) {
    const double *row = text.qkv + i * (2 * KEYS + HEADS) * d, *q = row + h % KEYS * d,
                 *k = q + KEYS * d, *v = row + (2 * KEYS + h) * d;
    double total = 0, stays = exp(text.rate[i * HEADS + h]);
    for (size_t j = 0; j < d; j++) {
        double said = 0, o = 0, *of = s + j * d;
        for (size_t c = 0; c < d; c++) of[c] *= stays, said += of[c] * k[c];
        for (size_t c = 0; c < d; c++) of[c] += text.beta[i * HEADS + h] * (v[j] - said) * k[c];
        for (size_t c = 0; c < d; c++) o += of[c] * q[c];
        total += o / sqrt((double)d) * (double)dout[(i * HEADS + h) * d + j];
    }
    return total;
}

static double in_double(size_t d) {
    static double s[MOST * MOST];
    double total = 0;
    for (size_t part = 0; part < 3; part++)
        for (size_t h = 0; h < HEADS; h++) {
            memset(s, 0, sizeof s);
            for (size_t i = starts[part]; i < starts[part + 1]; i++)
                total += read_token(s, i, h, d);
        }
    return total;
}

static void same_as_differences(const float *got, double *x, size_t n, size_t d) {
    for (size_t i = 0; i < n; i++) {
        double keep = x[i], h = 1e-5;
        x[i] = keep + h;
        double up = in_double(d);
        x[i] = keep - h;
        double want = (up - in_double(d)) / (2 * h);
        x[i] = keep;
        assert_near(got[i], want, 1e-5 + 1e-4 * fabs(want));
    }
}

static void check(size_t d, Pool *pool) {
    static float by_qkv[TOKENS * ROW], by_beta[TOKENS * HEADS], by_rate[TOKENS * HEADS];
    DeltaShape shape = {HEADS, KEYS, d};
    DeltaRows rows = {qkv, beta, rate}, grad = {by_qkv, by_beta, by_rate};
    float *scratch =
        malloc(delta_scratch_floats(pool_threads(pool), d, TOKENS) * sizeof *scratch);
    double total = 0;
    assert_non_null(scratch);
    fresh(d);
    delta_sequences(pool, &shape, (Sequences){starts, 3}, &rows, out, scratch);
    for (size_t i = 0; i < TOKENS * HEADS * d; i++) total += (double)out[i] * (double)dout[i];
    assert_near(total, in_double(d), 1e-4);
    delta_backward(pool, &shape, (Sequences){starts, 3}, &rows, dout, &grad, scratch);
    same_as_differences(by_qkv, text.qkv, TOKENS * (2 * KEYS + HEADS) * d, d);
    same_as_differences(by_beta, text.beta, TOKENS * HEADS, d);
    same_as_differences(by_rate, text.rate, TOKENS * HEADS, d);
    free(scratch);
}

/* Heads shorter than a strip, as long, and longer; the same bits with threads. */
static void gradients_match_differences(void **state) {
    (void)state;
    const size_t sizes[] = {4, 16, MOST};
    Pool *pool = pool_open(2, false, NULL);
    for (size_t i = 0; i < 3; i++) check(sizes[i], i % 2 ? NULL : pool);
    pool_close(pool);
}

/* No gradient reaches what was forgotten or replaced. */
static void what_made_no_difference_hears_nothing(void **state) {
    (void)state;
    enum { D = 16 };
    float memory[D * D], before[D * D], after[D * D],
        k[D] = {1}, v[D] = {2}, decay[D], by_q[D] = {0}, by_k[D] = {0}, by_v[D], by_decay[D],
        answer[D];
    for (int replaced = 0; replaced < 2; replaced++) {
        for (size_t i = 0; i < D; i++) decay[i] = replaced;
        for (size_t i = 0; i < D * D; i++) before[i] = 1, memory[i] = 0;
        DeltaToken token = {decay, 1, k, k, v};
        DeltaTokenGradients grad = {by_q, by_k, by_v, by_decay, 0};
        delta_step(after, before, D, D, decay, 1, k, k, v, answer);
        assert_near(answer[0], 2, 1e-6);
        delta_step_backward(memory, after, before, D, &token, v, &grad);
        assert_near(by_v[0], 2, 1e-6);
        for (size_t i = 0; i < D * D; i++) assert_near(memory[i], 0, 1e-6);
    }
}

RUN(TEST(gradients_match_differences), TEST(what_made_no_difference_hears_nothing))
