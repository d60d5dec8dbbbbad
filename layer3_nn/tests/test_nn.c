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
    float small[3] = {3e-7f, 0, -4e-7f}; /* shorter than the lower bound */
    l2_norm(small, 3, 1e-6f);
    assert_near(small[0], 0.3, 1e-6);
    assert_near(small[2], -0.4, 1e-6);
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

/* Map e of a stack has its matrix, scale, bias and packed form; where there are none, none. */
static void maps_of_a_stack(void **state) {
    (void)state;
    enum { MAPS = 3, IN = 4, OUT = 2 };
    float weights[MAPS * OUT * IN], scale[MAPS] = {1, 2, -3}, bias[MAPS * OUT], x[IN], y[OUT];
    PackedWeights packed[MAPS];
    noise(weights, MAPS * OUT * IN, 40), noise(bias, MAPS * OUT, 41), noise(x, IN, 42);
    Linear stack = {.w = tensor_view(DTYPE_F32, 3, (size_t[]){MAPS, OUT, IN}, weights),
                    .scale = scale,
                    .bias = bias,
                    .packed = packed};
    for (size_t e = 0; e < MAPS; e++) {
        Linear map = linear_of_stack(&stack, e);
        assert_ptr_equal(map.packed, packed + e);
        map.packed = NULL;
        linear(NULL, &map, x, 1, y, NULL);
        for (size_t r = 0; r < OUT; r++) {
            double sum = 0;
            for (size_t k = 0; k < IN; k++)
                sum += (double)weights[(e * OUT + r) * IN + k] * (double)x[k];
            assert_near(y[r], (double)scale[e] * sum + (double)bias[e * OUT + r], 1e-5);
        }
    }
    Linear bare = linear_of_stack(&(Linear){.w = stack.w}, 1);
    assert_true(!bare.scale && !bare.bias && !bare.packed);
}

static bool has_answer;
static bool answer(Pool *pool, const WeightsProduct *products, size_t count, const float *x,
                   size_t rows, void *scratch) {
    (void)pool, (void)x, (void)rows, (void)scratch;
    for (size_t i = 0; has_answer && i < count; i++) products[i].y[0] = 7;
    return has_answer;
}

/* Another machine's products stand as they are; where it has none, this one computes. */
static void products_from_elsewhere(void **state) {
    (void)state;
    float w[2] = {2, 3}, x[2] = {1, 10}, bias[1] = {0.5f}, y[1];
    const Linear map = {.w = tensor_view(DTYPE_F32, 2, (size_t[]){1, 2}, w), .bias = bias};
    matmul_elsewhere = answer;
    for (int i = 0; i < 2; i++) {
        has_answer = i;
        linear(NULL, &map, x, 1, y, NULL);
        assert_near(y[0], i ? 7.5 : 32.5, 0);
    }
    matmul_elsewhere = NULL;
}

static void own_rows(const LinearOwn *own, Pool *pool, const LinearProduct *p, const float *x,
                     void *scratch) {
    (void)own, (void)pool, (void)scratch;
    for (size_t c = 0; c < p->n; c++) p->y[c] = 5 * x[2 * (p->first + c)];
}

/* A map with a function of its own gets nothing else, also beside another and alone. */
static void maps_with_functions_of_their_own(void **state) {
    (void)state;
    const LinearOwn own = {own_rows};
    float w[2] = {2, 3}, x[4] = {1, 10, 4, 20}, bias[1] = {0.5f}, scale = 9, y[2][2];
    const Linear plain = {.w = tensor_view(DTYPE_F32, 2, (size_t[]){1, 2}, w), .bias = bias};
    Linear map = plain;
    map.own = &own, map.scale = &scale;
    const LinearProduct both[] = {{&map, 0, 2, y[0]}, {&plain, 1, 1, y[1]}};
    linear_products(NULL, both, 2, x, 2, NULL);
    assert_true(y[0][0] == 5 && y[0][1] == 20 && y[1][0] == 68.5f);
    linear(NULL, &map, x + 2, 1, y[0], NULL);
    assert_true(y[0][0] == 20);
}

/* y + s B A x, with W' = B A written down; two adapters of a list, three rows. */
static void adapters(void **state) {
    (void)state;
    enum { IN = 5, OUT = 7, RANK = 2, ROWS = 3 };
    float a[2][RANK * IN], b[2][OUT * RANK], x[ROWS * IN], y[ROWS * OUT], want[ROWS * OUT];
    noise(x, ROWS * IN, 30), noise(y, ROWS * OUT, 31);
    memcpy(want, y, sizeof y);
    LowRank second = {a[1], b[1], RANK, IN, OUT, -0.5f, NULL, NULL},
            first = {a[0], b[0], RANK, IN, OUT, 2, &second, NULL};
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
    /* the second one acts on no row: only the first is added */
    LowRankRows on_none = {NULL};
    float alone[ROWS * OUT] = {0}, both[ROWS * OUT] = {0};
    LowRank idle = {a[1], b[1], RANK, IN, OUT, 1, NULL, &on_none};
    first.next = NULL, low_rank_rows(NULL, &first, x, ROWS, alone);
    first.next = &idle, low_rank_rows(NULL, &first, x, ROWS, both);
    assert_memory_equal(both, alone, sizeof alone);
}

/* Texts of one batch with different adapters: each row is as if it were alone with its own. */
static void adapters_by_row(void **state) {
    (void)state;
    enum { IN = 6, OUT = 5, ROWS = 4 };
    static const float factor[2][ROWS] = {{0, 1, 0, 0.5f}, {0, 0, 1, -2}};
    float a[2][IN], b[2][OUT], x[ROWS * IN], y[ROWS * OUT], want[ROWS * OUT];
    LowRankRows rows[2] = {{factor[0]}, {factor[1]}};
    LowRank all[2];
    noise(x, ROWS * IN, 60), noise(y, ROWS * OUT, 61);
    memcpy(want, y, sizeof y);
    for (int i = 0; i < 2; i++) {
        noise(a[i], IN, 62 + (uint64_t)i), noise(b[i], OUT, 64 + (uint64_t)i);
        all[i] = (LowRank){a[i], b[i], 1, IN, OUT, 2, NULL, &rows[i]};
    }
    for (int c = 0; c < ROWS; c++)
        for (int i = 0; i < 2; i++) {
            LowRank alone = all[i];
            alone.scale *= factor[i][c], alone.rows = NULL;
            if (factor[i][c] != 0) low_rank_add(&alone, x + c * IN, want + c * OUT);
        }
    all[0].next = &all[1];
    low_rank_rows(NULL, all, x, ROWS, y);
    assert_memory_equal(y, want, sizeof y);
    rows[0].factor = rows[1].factor = NULL;
    low_rank_rows(NULL, all, x, ROWS, y);
    assert_memory_equal(y, want, sizeof y);
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
    float x[N], d[N], quarter[N];
    double xs[N];
    noise(x, N, 11);
    for (int i = 0; i < N; i++) xs[i] = (double)x[i], d[i] = quarter[i] = x[i];
    assert_near(cross_entropy(x, N, 3), cross_entropy_of(xs, N, NULL), 1e-6);
    assert_near(cross_entropy_backward(d, N, 3, 1), cross_entropy_of(xs, N, NULL), 1e-6);
    check_gradient(cross_entropy_of, x, N, NULL, d, 1e-6);
    cross_entropy_backward(quarter, N, 3, 0.25f);
    for (int i = 0; i < N; i++) assert_true(quarter[i] == 0.25f * d[i]);
    float flat[1000] = {0};
    assert_near(log_sum_exp(flat, 1000), log(1000), 1e-6);
}

/* ------------------------------------------------------------------ rows of any length */

enum { MAX_ROW = 600, GUARD = 12345 };

static const Xielu curve = {0.8f, 0.7f, 0.5f, -0.01f};
static double gelu_of(double x) {
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
static double silu_of(double x) { return x / (1 + exp(-x)); }
static double clamp_of(double x, double limit) { return fmin(limit, fmax(-limit, x)); }
static double silu_slope(double x) {
    return 1 / (1 + exp(-x)) * (1 + x * (1 - 1 / (1 + exp(-x))));
}

static void limited(float *out, const float *x, const float *up, size_t n) {
    memmove(out, x, n * sizeof *out), activate_limited(ACT_SILU, out, up, 0.9f, n);
}
static void gated(float *out, const float *x, const float *up, size_t n) {
    activate_gated(ACT_GELU_TANH, out, x, up, n);
}
static void clamped(float *out, const float *x, const float *up, size_t n) {
    activate_gated(ACT_SWIGLU_CLAMPED, out, x, up, n);
}
static void learned(float *out, const float *x, const float *up, size_t n) {
    (void)up, xielu(out, x, n, &curve);
}
static void into_silu(float *out, const float *x, const float *up, size_t n) {
    silu_backward(out, x, up, n);
}
static void into_gate(float *out, const float *x, const float *up, size_t n) {
    float dup[MAX_ROW], gate[MAX_ROW];
    memcpy(gate, x, n * sizeof *x);
    swiglu_backward(out, dup, x, up, up, n);
    for (size_t i = 0; i < n; i++) {
        double want = (double)up[i] * silu_of((double)gate[i]);
        assert_near(dup[i], want, 4e-6 * (1 + fabs(want)));
    }
}

/* The double of function `which` at x, with the other input up. */
static double exact_unit(int which, double x, double up) {
    switch (which) {
    case ACT_RELU: return fmax(0, x);
    case ACT_RELU_SQUARED: return fmax(0, x) * fmax(0, x);
    case ACT_GELU_ERF: return 0.5 * x * (1 + erf(x / sqrt(2)));
    case ACT_GELU_TANH: return gelu_of(x);
    case ACT_GELU_QUICK: return x / (1 + exp(-1.702 * x));
    case ACT_SILU: return silu_of(x);
    case 6: return 1 / (1 + exp(-x));
    case 7: return log1p(exp(x));
    case 8: return fmin(silu_of(x), 0.9) * clamp_of(up, 0.9);
    case 9: return gelu_of(x) * up;
    case 10: return fmin(x, 7) / (1 + exp(-1.702 * fmin(x, 7))) * (clamp_of(up, 7) + 1);
    case 11: return 0.5 * x + (x > 0 ? 0.8 * x * x : 0.7 * (expm1(fmin(x, -0.01)) - x));
    case 12: return up * silu_slope(x);
    default: return up * up * silu_slope(x);
    }
}

static void run_unit(int which, float *out, const float *x, const float *up, size_t n) {
    typedef void Two(float *out, const float *x, const float *up, size_t n);
    static Two *const two[] = {limited, gated, clamped, learned, into_silu, into_gate};
    if (which <= ACT_SILU)
        activate((Activation)which, out, x, n);
    else if (which == 6)
        sigmoid_row(out, x, n);
    else if (which == 7)
        softplus(out, x, n);
    else
        two[which - 8](out, x, up, n);
}

/* All numbers of a row and no more, whatever its length; in place, too. */
static void rows_of_any_length(void **state) {
    (void)state;
    float x[MAX_ROW], up[MAX_ROW], out[MAX_ROW + 1], same[MAX_ROW + 1];
    noise(x, MAX_ROW, 41), noise(up, MAX_ROW, 42);
    for (int i = 0; i < MAX_ROW; i++) x[i] *= 5, up[i] *= 5;
    for (int which = 0; which < 14; which++)
        for (size_t n = 0; n < MAX_ROW; n++) {
            if (n > 9 && (n + 1) % 64 > 2) continue; /* around multiples of any chunk */
            for (size_t i = 0; i <= MAX_ROW; i++) out[i] = same[i] = GUARD;
            memcpy(same, x, n * sizeof *x);
            run_unit(which, out, x, up, n), run_unit(which, same, same, up, n);
            assert_true(out[n] == GUARD && same[n] == GUARD);
            assert_memory_equal(out, same, n * sizeof *out);
            for (size_t i = 0; i < n; i++) {
                double want = exact_unit(which, (double)x[i], (double)up[i]);
                if (!(fabs((double)out[i] - want) <= 4e-6 * (1 + fabs(want))))
                    fail_msg("function %d of %zu, number %zu: %g, not %g", which, n, i,
                             (double)out[i], want);
            }
        }
}

/* ------------------------------------------------------------------ nothing beyond the end */

typedef struct Guarded {
    float x[N + 1], y[N + 1], gain[N + 1], out[N + 1], other[N + 1];
} Guarded;

static void ends_softmax(Guarded *g) { softmax(g->out, g->x, N); }
static void ends_softmax_back(Guarded *g) { softmax_backward(g->out, g->x, g->y, N); }
static void ends_loss(Guarded *g) { cross_entropy_backward(g->out, N, 3, 0.25f); }
static void ends_rms(Guarded *g) { rms_norm(g->out, g->x, g->gain, N, 1e-3f); }
static void ends_l2(Guarded *g) { l2_norm(g->out, N, 1e-3f); }
static void ends_layer(Guarded *g) { layer_norm(g->out, g->x, g->gain, g->y, N, 1e-3f); }
static void ends_rms_back(Guarded *g) {
    rms_norm_backward(g->out, g->other, g->x, g->gain, g->y, N, 1e-3f);
}
static void ends_l2_back(Guarded *g) { l2_norm_backward(g->out, g->x, g->y, N, 1e-3f); }
static void ends_biased(Guarded *g) {
    norm_apply(&(Norm){.kind = NORM_RMS, .width = N, .eps = 1e-3f, .bias = g->y}, g->out, g->x,
               N);
}
static void ends_embedding(Guarded *g) { embedding_backward(g->out, 0, g->x, N); }
static void ends_adapter(Guarded *g) {
    low_rank_add(&(LowRank){.a = g->x, .b = g->y, .rank = 1, .in = N, .out = N, .scale = 2},
                 g->gain, g->out);
}

/* Numbers behind a row are neither written nor read. */
static void rows_end_where_they_end(void **state) {
    (void)state;
    static void (*const cases[])(Guarded *) = {
        ends_softmax,  ends_softmax_back, ends_loss,   ends_rms,       ends_l2,     ends_layer,
        ends_rms_back, ends_l2_back,      ends_biased, ends_embedding, ends_adapter};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Guarded two[2];
        for (int k = 0; k < 2; k++) {
            Guarded *g = &two[k];
            noise(g->x, N, 61), noise(g->y, N, 62), noise(g->gain, N, 63), noise(g->out, N, 64);
            noise(g->other, N, 65);
            g->x[N] = g->y[N] = g->gain[N] = g->out[N] = g->other[N] = (float)(GUARD + k);
            cases[i](g);
            if (g->out[N] != (float)(GUARD + k) || g->other[N] != (float)(GUARD + k))
                fail_msg("function %zu writes beyond the end", i);
        }
        assert_memory_equal(two[0].out, two[1].out, N * sizeof(float));
        assert_memory_equal(two[0].other, two[1].other, N * sizeof(float));
    }
}

/* Products of some rows, with adapters: those of the same rows. */
static void adapters_of_some_rows(void **state) {
    (void)state;
    enum { IN = 5, OUT = 4, ROWS = 6, FIRST = 2, COUNT = 3 };
    float w[OUT * IN], a[IN], b[OUT], x[ROWS * IN], y[COUNT * OUT + 1], bias[OUT];
    noise(w, OUT * IN, 50), noise(a, IN, 51), noise(b, OUT, 52), noise(x, ROWS * IN, 53);
    noise(bias, OUT, 54);
    LowRank adapter = {a, b, 1, IN, OUT, 0.5f, NULL, NULL};
    Linear map = {.w = tensor_view(DTYPE_F32, 2, (size_t[]){OUT, IN}, w),
                  .bias = bias,
                  .adapters = &adapter};
    y[COUNT * OUT] = GUARD;
    linear_products(NULL, &(LinearProduct){&map, FIRST, COUNT, y}, 1, x, ROWS, NULL);
    for (size_t c = 0; c < COUNT; c++)
        for (size_t o = 0; o < OUT; o++) {
            double want = (double)bias[o], low = 0;
            for (size_t i = 0; i < IN; i++) {
                want += (double)w[o * IN + i] * (double)x[(FIRST + c) * IN + i];
                low += (double)a[i] * (double)x[(FIRST + c) * IN + i];
            }
            assert_near(y[c * OUT + o], want + 0.5 * low * (double)b[o], 1e-5);
        }
    assert_true(y[COUNT * OUT] == GUARD);
}

/* Any choice of seven rows, to other memory and in place, and back. */
static void some_rows(void **state) {
    (void)state;
    enum { SOME = 7, DIM = 3 };
    float from[SOME * DIM], to[SOME * DIM], here[SOME * DIM];
    for (int i = 0; i < SOME * DIM; i++) from[i] = (float)(i + 1);
    for (int choice = 0; choice < 1 << SOME; choice++) {
        bool chosen[SOME];
        size_t some = 0;
        for (int i = 0; i < SOME; i++) chosen[i] = choice >> i & 1;
        memcpy(here, from, sizeof from), memset(to, -1, sizeof to);
        size_t n = rows_gather(to, from, chosen, SOME, DIM);
        assert_int_equal(rows_gather(here, here, chosen, SOME, DIM), n);
        assert_memory_equal(here, to, n * DIM * sizeof *to);
        rows_spread(to, chosen, SOME, DIM);
        for (int i = 0; i < SOME; i++, some += chosen[i - 1])
            for (int k = 0; k < DIM; k++) {
                assert_true(to[i * DIM + k] == (chosen[i] ? from[i * DIM + k] : 0));
                if (chosen[i]) assert_true(here[some * DIM + (size_t)k] == from[i * DIM + k]);
            }
        assert_int_equal(some, n);
    }
}

RUN(TEST(some_rows), TEST(softmax_and_gradient), TEST(activations), TEST(swiglu_gradient),
    TEST(silu_and_length_gradients), TEST(norms), TEST(embedding_and_linear),
    TEST(maps_of_a_stack), TEST(products_from_elsewhere),
    TEST(maps_with_functions_of_their_own), TEST(adapters), TEST(adapters_by_row),
    TEST(other_positions), TEST(loss_and_gradient), TEST(rows_of_any_length),
    TEST(rows_end_where_they_end), TEST(adapters_of_some_rows))
