/* The graders of layer 3: activations between linear maps, and a token's row. */
#include "../src/sigmoid.h"
#include "near.h"
#include "nn.h"

enum { MOST = 5000 };
#define NEAR 2e-5

/* As in Activation. */
static const char *const names[] = {"ACT_RELU",          "ACT_RELU_SQUARED", "ACT_GELU_ERF",
                                    "ACT_GELU_TANH",     "ACT_GELU_QUICK",   "ACT_SILU",
                                    "ACT_SWIGLU_CLAMPED"};

static double sigma(double x) { return 1 / (1 + exp(-x)); }

static double act(Activation kind, double x) {
    switch (kind) {
    case ACT_RELU: return x < 0 ? 0 : x;
    case ACT_RELU_SQUARED: return x < 0 ? 0 : x * x;
    case ACT_GELU_ERF: return x * (1 + erf(x / sqrt(2))) / 2;
    case ACT_GELU_TANH:
        return x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x))) / 2;
    case ACT_GELU_QUICK: return x * sigma(1.702 * x);
    case ACT_SWIGLU_CLAMPED: return fmin(x, 7) * sigma(1.702 * fmin(x, 7));
    default: return x * sigma(x);
    }
}

static void bends(const float *x, size_t n) {
    static float got[MOST + 1];
    static double want[MOST], slip[MOST];
    got[n] = -7;
    silu(got, x, n);
    HINT(got[n] == -7, "silu writes past the last of %zu outputs", n);
    for (size_t i = 0; i < n; i++)
        want[i] = act(ACT_SILU, (double)x[i]), slip[i] = sigma((double)x[i]);
    if (all_near(got, want, n, NEAR)) return;
    HINT(!all_near(got, slip, n, NEAR), "that is the sigmoid: silu(x) is x times sigmoid(x)");
    for (size_t i = 0; i < n; i++) slip[i] = (double)x[i] * sigma(-(double)x[i]);
    HINT(!all_near(got, slip, n, NEAR), "sigmoid(x) is 1 / (1 + exp(-x)): mind the sign of x");
    HINT(n <= CHUNK || !all_near(got, want, CHUNK, NEAR),
         "the first %d numbers are right, those after them are not: go on with the next chunk",
         CHUNK);
    expect("silu", got, want, n, NEAR);
}

static void gated(Activation kind, const float *gate, const float *up, size_t n) {
    static float got[MOST];
    static double want[MOST], slip[MOST];
    for (size_t i = 0; i < n; i++) {
        double g = (double)gate[i], u = (double)up[i];
        want[i] = act(kind, g) * (kind == ACT_SWIGLU_CLAMPED ? fmax(-7, fmin(u, 7)) + 1 : u);
        slip[i] = act(kind, u) * g;
    }
    activate_gated(kind, got, gate, up, n);
    if (all_near(got, want, n, 1e-4)) return;
    HINT(!all_near(got, slip, n, 1e-4), "gate and up are exchanged: act(gate) times up");
    for (size_t i = 0; i < n; i++) slip[i] = act(kind, (double)gate[i]);
    HINT(!all_near(got, slip, n, 1e-4), "gated: act(gate), times up");
    for (size_t i = 0; i < n; i++) slip[i] = act(ACT_SILU, (double)gate[i]) * (double)up[i];
    HINT(kind == ACT_SILU || !all_near(got, slip, n, 1e-4),
         "the gate's activation is the one that `kind` says, not always SiLU");
    for (size_t i = 0; i < n; i++)
        slip[i] = act(kind, (double)gate[i]) * act(kind, (double)up[i]);
    HINT(!all_near(got, slip, n, 1e-4),
         "only the gate goes through the activation, up passes as it is");
    char what[60];
    snprintf(what, sizeof what, "activate_gated with %s", names[kind]);
    expect(what, got, want, n, 1e-4);
}

/* The output over the gate; then NaN, and infinity times 0. */
static void over_the_gate(Activation kind, float *gate, float *up, size_t n) {
    static float want[MOST];
    activate_gated(kind, want, gate, up, n);
    activate_gated(kind, gate, gate, up, n);
    HINT(memcmp(gate, want, n * sizeof *gate) == 0,
         "activate_gated with %s: out may be gate: read gate before you write something else "
         "over it",
         names[kind]);
    const float special[][2] = {{NAN, 1}, {1, NAN}, {INFINITY, 0}}; /* gate, up */
    for (size_t i = 0; i < 3; i++) {
        float one;
        activate_gated(ACT_SILU, &one, &special[i][0], &special[i][1], 1);
        HINT(isnan(one),
             "activate_gated with a gate of %g and an up of %g: the product is NaN, and NaN "
             "stays in the result, not %g",
             (double)special[i][0], (double)special[i][1], (double)one);
    }
}

/* By name, also in place. */
static void named(Activation kind, const float *x, size_t n, bool in_place) {
    static float got[MOST];
    static double want[MOST], other[MOST];
    memcpy(got, x, n * sizeof *x);
    activate(kind, got, in_place ? got : x, n);
    for (size_t i = 0; i < n; i++) want[i] = act(kind, (double)x[i]);
    if (all_near(got, want, n, NEAR)) return;
    for (int k = 0; k < 6; k++) {
        for (size_t i = 0; i < n; i++) other[i] = act((Activation)k, (double)x[i]);
        HINT(!all_near(got, other, n, NEAR), "activate: asked for %s, and that is %s",
             names[kind], names[k]);
    }
    size_t at = 0;
    while (near((double)got[at], want[at], NEAR)) at++;
    HINT((double)got[at] != (double)x[at], "activate: %s leaves the numbers as they are",
         names[kind]);
    HINT(false, "activate: %s of %g%s: expected %.7g, got %.7g", names[kind], (double)x[at],
         in_place ? ", in place" : "", want[at], (double)got[at]);
}

GRADE(swiglu) {
    static float x[MOST], up[MOST], s[CHUNK];
    for (int round = 0; round < 12; round++) {
        fresh_floats(x, MOST, -3, 3); /* where no two of them are alike */
        if (round == 0) bends(x, MOST);
        named((Activation)(round % 6), x, MOST, round >= 6);
    }
    for (int round = 0; round < 16; round++) {
        size_t n = round < 2 ? MOST - (size_t)round : 1 + fresh_below(MOST);
        fresh_floats(x, n, -8, 8), fresh_floats(up, n, -9, 9);
        if (n > 2) x[0] = 100, x[1] = -100, x[2] = 0;
        bends(x, n);
        gated((Activation)(round % 7), x, up, n);
        over_the_gate((Activation)(round % 7), x, up, n);
    }
    size_t count = 1 + fresh_below(CHUNK);
    fresh_floats(x, count, -8, 8);
    sigmoid(s, x, count);
    for (size_t i = 0; i < count; i++)
        HINT(near((double)s[i], sigma((double)x[i]), NEAR),
             "sigmoid of %zu numbers, number %zu: expected %.7g, got %.7g", count, i,
             sigma((double)x[i]), (double)s[i]);
    x[0] = NAN;
    sigmoid(s, x, 1);
    HINT(isnan(s[0]), "the sigmoid of NaN is NaN, not %g", (double)s[0]);
}

static void row_of(Dtype dtype, size_t vocab, size_t dim) {
    static float numbers[64 * 128], got[129];
    static double want[128], slip[128];
    static unsigned char stored[64 * 128 * 4];
    fresh_floats(numbers, vocab * dim, -2, 2);
    for (size_t r = 0; r < vocab; r++)
        quantize_row(dtype, numbers + r * dim, NULL, stored + r * dtype_row_bytes(dtype, dim),
                     dim);
    Tensor table = tensor_view(dtype, 2, (size_t[]){vocab, dim}, stored);
    size_t half = dtype == DTYPE_Q8_0 ? 32 : dim / 2;
    Tensor right = tensor_slice(&table, 1, dim - half,
                                dim); /* rows are farther apart than they are long */
    for (int sliced = 0; sliced < 2; sliced++) {
        const Tensor *t = sliced ? &right : &table;
        size_t token = fresh_below(vocab), n = t->shape[1], from = dim - n;
        double bound = dtype == DTYPE_F32 ? 0 : dtype == DTYPE_Q8_0 ? 0.02 : 1e-2;
        for (size_t i = 0; i < n; i++) {
            want[i] = (double)numbers[token * dim + from + i];
            slip[i] = (double)numbers[(token * n + from + i) % (vocab * dim)];
        }
        got[n] = -7;
        embedding(got, t, token);
        HINT(got[n] == -7, "a row of %zu numbers, and something is written past it", n);
        if (all_near(got, want, n, bound)) continue;
        HINT(!sliced || !all_near(got, slip, n, bound),
             "rows may be farther apart than they are long: stride[0] bytes from one to the "
             "next, which tensor_row knows");
        for (size_t i = 0; i < n; i++)
            slip[i] = (double)numbers[((token + 1) % vocab) * dim + from + i];
        HINT(!all_near(got, slip, n, bound),
             "that is the row of the next token: the first row is token 0's");
        for (size_t i = 0; i < n; i++) slip[i] = (double)numbers[from + i];
        HINT(!all_near(got, slip, n, bound), "that is the first row, whatever the token is");
        for (size_t i = 0; i < n; i++)
            slip[i] = (double)numbers[(i * dim + token) % (vocab * dim)];
        HINT(!all_near(got, slip, n, bound),
             "that is a column: a token's numbers are a row of the table (vocab, dim)");
        HINT(dtype == DTYPE_F32,
             "a table in %s is not read as it should be: expected %.5g first, got %.5g; "
             "dequantize_row reads every format",
             dtype_name(dtype), want[0], (double)got[0]);
        expect("embedding", got, want, n, bound);
    }
}

GRADE(token_row) {
    for (int round = 0; round < 12; round++)
        row_of((Dtype[]){DTYPE_F32, DTYPE_F16, DTYPE_Q8_0, DTYPE_BF16}[round % 4],
               3 + fresh_below(60), 64 + 32 * fresh_below(2));
}

GRADES({"3.3", swiglu}, {"3.6", token_row})
