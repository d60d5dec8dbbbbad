/* softmax, activations, norms, embedding, linear, adapters, positions, loss: values against
 * double, gradients against differences */
#include "check.h"
#include "nn.h"

enum { N = 37 };

static void noise(float *x, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) x[i] = (float)rng_unit(seed, 0, i) * 4 - 2;
}

/* A function of n doubles and its central differences. */
typedef double Scalar(const double *x, size_t n, const float *weights);

static void check_gradient(Scalar *f, const float *at, size_t n, const float *weights,
                           const float *got, double tolerance) {
    double x[N * N];
    for (size_t i = 0; i < n; i++) x[i] = (double)at[i];
    for (size_t i = 0; i < n; i++) {
        double h = 1e-5, keep = x[i];
        x[i] = keep + h;
        double up = f(x, n, weights);
        x[i] = keep - h;
        double down = f(x, n, weights);
        x[i] = keep;
        double want = (up - down) / (2 * h);
        assert_near(got[i], want, tolerance * (1 + fabs(want)));
    }
}

static double softmax_sum(const double *x, size_t n, const float *w) {
    double max = -INFINITY, sum = 0, result = 0;
    for (size_t i = 0; i < n; i++) max = fmax(max, x[i]);
    for (size_t i = 0; i < n; i++) sum += exp(x[i] - max);
    for (size_t i = 0; i < n; i++) result += (double)w[i] * exp(x[i] - max) / sum;
    return result;
}

static void softmax_and_gradient(void **state) {
    (void)state;
    float x[N], y[N], w[N], dx[N];
    noise(x, N, 1), noise(w, N, 2);
    softmax(y, x, N);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (double)y[i];
    assert_near(sum, 1, 1e-6);
    softmax_backward(dx, y, w, N);
    check_gradient(softmax_sum, x, N, w, dx, 1e-5);
    float big[3] = {1000, 1001, -INFINITY};
    softmax(big, big, 3);
    assert_near(big[1], 0.7310585786, 1e-6);
    assert_true(big[2] == 0);
    float odd[2] = {NAN, 1};
    softmax(odd, odd, 2);
    assert_true(isnan(odd[0]) && isnan(odd[1]));
    float one[1] = {-5};
    softmax(one, one, 1);
    assert_true(one[0] == 1);
}

static void activations(void **state) {
    (void)state;
    float x[600], y[600];
    for (int i = 0; i < 600; i++) x[i] = (float)i * 0.05f - 15;
    relu(y, x, 600);
    for (int i = 0; i < 600; i++) assert_true(y[i] == (x[i] < 0 ? 0 : x[i]));
    activate(ACT_RELU_SQUARED, y, x, 600);
    for (int i = 0; i < 600; i++) assert_true(y[i] == (x[i] < 0 ? 0 : x[i] * x[i]));
    gelu_erf(y, x, 600);
    for (int i = 0; i < 600; i++)
        assert_near(y[i], 0.5 * (double)x[i] * (1 + erf((double)x[i] / sqrt(2))),
                    2e-6 * (1 + fabs((double)x[i])));
    gelu_tanh(y, x, 600);
    for (int i = 0; i < 600; i++) {
        double v = (double)x[i];
        assert_near(y[i], 0.5 * v * (1 + tanh(sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))),
                    2e-6 * (1 + fabs(v)));
    }
    activate(ACT_GELU_QUICK, y, x, 600);
    for (int i = 0; i < 600; i++)
        assert_near(y[i], (double)x[i] / (1 + exp(-1.702 * (double)x[i])),
                    2e-6 * (1 + fabs((double)x[i])));
    silu(y, x, 600);
    for (int i = 0; i < 600; i++)
        assert_near(y[i], (double)x[i] / (1 + exp(-(double)x[i])),
                    2e-6 * (1 + fabs((double)x[i])));
    softplus(y, x, 600);
    for (int i = 0; i < 600; i++)
        assert_near(y[i], log1p(exp((double)x[i])), 1e-6 * (1 + fabs((double)x[i])));
    softplus(y, (float[]){-90, 200}, 2);
    assert_true(y[0] > 0 && y[1] == 200);
    silu(y, x, 600);
    float again[600];
    activate(ACT_SILU, again, x, 600);
    assert_memory_equal(again, y, sizeof y);
    activate_gated(ACT_SILU, again, x, x, 600);
    for (int i = 0; i < 600; i++) assert_true(again[i] == y[i] * x[i]);
}

static double swiglu_sum(const double *x, size_t n, const float *w) { /* gate, then up */
    double sum = 0;
    for (size_t i = 0; i < n / 2; i++)
        sum += (double)w[i] * x[i] / (1 + exp(-x[i])) * x[n / 2 + i];
    return sum;
}

static void swiglu_gradient(void **state) {
    (void)state;
    float x[2 * N], w[N], d[2 * N];
    noise(x, 2 * N, 3), noise(w, N, 4);
    swiglu_backward(d, d + N, x, x + N, w, N);
    check_gradient(swiglu_sum, x, 2 * N, w, d, 1e-5);
}

static double silu_sum(const double *x, size_t n, const float *w) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)w[i] * x[i] / (1 + exp(-x[i]));
    return sum;
}

static double length_sum(const double *x, size_t n, const float *w) {
    double square = 0, sum = 0;
    for (size_t i = 0; i < n; i++) square += x[i] * x[i];
    for (size_t i = 0; i < n; i++) sum += (double)w[i] * x[i] / fmax(sqrt(square), 1e-3);
    return sum;
}

/* A vector of any length, and one shorter than `min`. */
static void silu_and_length_gradients(void **state) {
    (void)state;
    float x[N], w[N], d[N];
    noise(x, N, 11), noise(w, N, 12);
    silu_backward(d, x, w, N);
    check_gradient(silu_sum, x, N, w, d, 1e-5);
    l2_norm_backward(d, x, w, N, 1e-3f);
    check_gradient(length_sum, x, N, w, d, 1e-5);
    for (int i = 0; i < N; i++) x[i] *= 1e-5f;
    l2_norm_backward(d, x, w, N, 1e-3f);
    check_gradient(length_sum, x, N, w, d, 1e-2);
}

static double rms_sum(const double *x, size_t n, const float *w) { /* x, then gain */
    size_t dim = n / 2;
    double square = 0, sum = 0;
    for (size_t i = 0; i < dim; i++) square += x[i] * x[i] / (double)dim;
    for (size_t i = 0; i < dim; i++)
        sum += (double)w[i] * x[i] / sqrt(square + 1e-3) * x[dim + i];
    return sum;
}

static void norms(void **state) {
    (void)state;
    float x[2 * N], w[N], d[2 * N] = {0}, y[N], bias[N];
    noise(x, 2 * N, 5), noise(w, N, 6), noise(bias, N, 7);
    rms_norm_backward(d, d + N, x, x + N, w, N, 1e-3f);
    check_gradient(rms_sum, x, 2 * N, w, d, 1e-5);
    rms_norm(y, x, x + N, N, 1e-3f);
    double xs[2 * N], sum = 0;
    for (int i = 0; i < 2 * N; i++) xs[i] = (double)x[i];
    for (int i = 0; i < N; i++) sum += (double)(y[i] * w[i]);
    assert_near(sum, rms_sum(xs, 2 * N, w), 1e-4);
    for (int i = 0; i < N; i++) x[i] += 1000; /* a large mean must not lose digits */
    layer_norm(y, x, x + N, bias, N, 1e-5f);
    double mean = 0, var = 0;
    for (int i = 0; i < N; i++) mean += (double)x[i] / N;
    for (int i = 0; i < N; i++) var += pow((double)x[i] - mean, 2) / N;
    for (int i = 0; i < N; i++)
        assert_near(
            y[i], ((double)x[i] - mean) / sqrt(var + 1e-5) * (double)x[N + i] + (double)bias[i],
            1e-3);
}

/* Each column has mean 0 and variance 1; a single row becomes 0. */
static void norms_of_a_batch(void **state) {
    (void)state;
    enum { ROWS = 5, DIM = 3 };
    float x[ROWS * DIM], y[ROWS * DIM];
    noise(x, ROWS * DIM, 17);
    for (int i = 0; i < ROWS * DIM; i++) x[i] = 1000 * (float)(i % DIM) + 7 * x[i];
    batch_norm(y, x, ROWS, DIM, 1e-6f);
    for (int i = 0; i < DIM; i++) {
        double mean = 0, square = 0;
        for (int r = 0; r < ROWS; r++)
            mean += (double)y[r * DIM + i] / ROWS,
                square += (double)(y[r * DIM + i] * y[r * DIM + i]) / ROWS;
        assert_near(mean, 0, 1e-5);
        assert_near(square, 1, 1e-4);
    }
    batch_norm(x, x + DIM, 1, DIM, 1e-6f);
    for (int i = 0; i < DIM; i++) assert_true(x[i] == 0);
}

static void embedding_and_linear(void **state) {
    (void)state;
    float table[4 * 3], row[3], grad[12] = {0};
    uint16_t halves[12];
    noise(table, 12, 8);
    quantize_row(DTYPE_F16, table, NULL, halves, 12);
    Tensor t = tensor_view(DTYPE_F16, 2, (size_t[]){4, 3}, halves);
    embedding(row, &t, 2);
    for (int i = 0; i < 3; i++) assert_true(row[i] == f16_to_f32(halves[6 + i]));
    embedding_backward(grad, 2, row, 3), embedding_backward(grad, 2, row, 3);
    assert_true(grad[7] == 2 * row[1] && grad[0] == 0);
    /* y = W x + b for two columns, and its gradients: dx = dy W, dW = dy^T x */
    float x[6], y[8], dense[8], bias[4] = {1, 2, 3, 4}, dx[6], dw[12] = {0}, scratch[100000];
    noise(x, 6, 9);
    Tensor w = tensor_view(DTYPE_F32, 2, (size_t[]){4, 3}, table);
    assert_true(matmul_scratch_floats(1, 4) < 100000);
    linear(NULL, &(Linear){.w = w, .bias = bias}, x, 2, y, NULL);
    linear_dense(NULL, table, 4, 3, x, 2, dense, scratch);
    linear_backward(NULL, dx, false, dw, table, 4, 3, x, y, 2, scratch);
    for (int c = 0; c < 2; c++)
        for (int r = 0; r < 4; r++) {
            double want = 0;
            for (int k = 0; k < 3; k++) want += (double)table[r * 3 + k] * (double)x[c * 3 + k];
            assert_near(dense[c * 4 + r], want, 1e-5);
            assert_near(y[c * 4 + r], want + (double)bias[r], 1e-5);
        }
    for (int k = 0; k < 3; k++) {
        double want = 0, weight = 0;
        for (int r = 0; r < 4; r++) want += (double)y[4 + r] * (double)table[r * 3 + k];
        for (int c = 0; c < 2; c++) weight += (double)y[c * 4 + 1] * (double)x[c * 3 + k];
        assert_near(dx[3 + k], want, 1e-4);
        assert_near(dw[3 + k], weight, 1e-4);
    }
}

/* y + s B A x, with W' = B A written down; two adapters of a list, three rows. */
static void adapters(void **state) {
    (void)state;
    enum { IN = 5, OUT = 7, RANK = 2, ROWS = 3 };
    float a[2][RANK * IN], b[2][OUT * RANK], x[ROWS * IN], y[ROWS * OUT], want[ROWS * OUT];
    noise(x, ROWS * IN, 30), noise(y, ROWS * OUT, 31);
    memcpy(want, y, sizeof y);
    LowRank second = {a[1], b[1], RANK, IN, OUT, -0.5f, NULL},
            first = {a[0], b[0], RANK, IN, OUT, 2, &second};
    for (int i = 0; i < 2; i++) {
        noise(a[i], RANK * IN, 32 + (uint64_t)i), noise(b[i], OUT * RANK, 34 + (uint64_t)i);
        for (int o = 0; o < OUT; o++)
            for (int k = 0; k < IN; k++) {
                float w = b[i][o * RANK] * a[i][k] + b[i][o * RANK + 1] * a[i][IN + k];
                for (int c = 0; c < ROWS; c++)
                    want[c * OUT + o] += (i ? -0.5f : 2) * w * x[c * IN + k];
            }
    }
    low_rank_rows(NULL, &first, x, ROWS, y);
    for (int i = 0; i < ROWS * OUT; i++) assert_near(y[i], want[i], 1e-4);
}

static void other_positions(void **state) {
    (void)state;
    float x[8] = {0}, table[16], row[8];
    noise(table, 16, 10);
    Tensor t = tensor_view(DTYPE_F32, 2, (size_t[]){2, 8}, table);
    position_add_learned(x, &t, 1, row);
    assert_memory_equal(x, table + 8, sizeof x);
    assert_near(alibi_slope(0, 8, 8), 0.5, 0);
    assert_near(alibi_slope(7, 8, 8), 1 / 256.0, 0);
    assert_near(alibi_slope(8, 12, 8), exp2(-0.5), 1e-7);
    assert_near(alibi_slope(9, 12, 8), exp2(-1.5), 1e-7);
}

static double cross_entropy_of(const double *x, size_t n, const float *w) {
    double sum = 0;
    (void)w;
    for (size_t i = 0; i < n; i++) sum += exp(x[i]);
    return log(sum) - x[3];
}

static void loss_and_gradient(void **state) {
    (void)state;
    float x[N], d[N];
    double xs[N];
    noise(x, N, 11);
    for (int i = 0; i < N; i++) xs[i] = (double)x[i], d[i] = x[i];
    assert_near(cross_entropy(x, N, 3), cross_entropy_of(xs, N, NULL), 1e-6);
    assert_near(cross_entropy_backward(d, N, 3, 1), cross_entropy_of(xs, N, NULL), 1e-6);
    check_gradient(cross_entropy_of, x, N, NULL, d, 1e-6);
    float flat[1000] = {0};
    assert_near(log_sum_exp(flat, 1000), log(1000), 1e-6);
}

RUN(TEST(softmax_and_gradient), TEST(activations), TEST(swiglu_gradient),
    TEST(silu_and_length_gradients), TEST(norms), TEST(norms_of_a_batch),
    TEST(embedding_and_linear), TEST(adapters), TEST(other_positions), TEST(loss_and_gradient))
