/* activation.c - see activation.h. */
#include "activation.h"
#include "sigmoid.h"
#include "size.h"

#include <math.h>
#include <string.h>

void relu(float *out, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = x[i] < 0 ? 0 : x[i];
}

/* Two loops: in one, compilers make the choice a branch, and signs are hard to predict. */
void relu_squared(float *out, const float *x, size_t n) {
    relu(out, x, n);
    for (size_t i = 0; i < n; i++) out[i] *= out[i];
}

void gelu_erf(float *out, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
}

/* tanh(u) = 1 - 2 / (exp(2u) + 1), so that
 * 0.5 x (1 + tanh(u)) = x (1 - 1 / (exp(2u) + 1)) = x / (1 + exp(-2u)). */
void gelu_tanh(float *out, const float *x, size_t n) {
    float e[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = min_size(CHUNK, n - start);
        for (size_t i = 0; i < count; i++) {
            float v = x[start + i];
            e[i] = -2 * 0.79788456f * (v + 0.044715f * v * v * v);
        }
        vector_exp(e, e, 0, count);
        for (size_t i = 0; i < count; i++) out[start + i] = x[start + i] / (1 + e[i]);
    }
}

/* A loop of constant length compiles to a few instructions for eight numbers. */
void sigmoid(float s[CHUNK], const float *x, size_t count) {
    for (size_t i = 0; i < count; i++) s[i] = -x[i];
    vector_exp(s, s, 0, count);
    for (size_t i = 0; i < count; i += 8) {
        float *eight = s + i;
        for (int k = 0; k < 8; k++) eight[k] = 1 / (1 + eight[k]);
    }
}

void silu(float *out, const float *x, size_t n) {
    float s[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = min_size(CHUNK, n - start);
        sigmoid(s, x + start, count);
        for (size_t i = 0; i < count; i++) out[start + i] = x[start + i] * s[i];
    }
}

void sigmoid_row(float *out, const float *x, size_t n) {
    float s[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = min_size(CHUNK, n - start);
        sigmoid(s, x + start, count);
        memcpy(out + start, s, count * sizeof *out);
    }
}

void gelu_quick(float *out, const float *x, size_t n) {
    float s[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = min_size(CHUNK, n - start);
        for (size_t i = 0; i < count; i++) s[i] = 1.702f * x[start + i];
        sigmoid(s, s, count);
        for (size_t i = 0; i < count; i++) out[start + i] = x[start + i] * s[i];
    }
}

/* ln(1 + e) for e in 0 .. 1: with z = e / (2 + e) it is ln((1 + z) / (1 - z)) = 2 (z + z^3/3 +
 * z^5/5 + ...); z <= 1/3, so eight terms give full precision. */
static float log_one_plus(float e) {
    float z = e / (2 + e), s = z * z, sum = 1.0f / 15;
    for (int k = 13; k > 0; k -= 2) sum = sum * s + 1.0f / (float)k;
    return 2 * z * sum;
}

/* ln(1 + exp(x)) = max(x, 0) + ln(1 + exp(-|x|)), which does not overflow. */
void softplus(float *out, const float *x, size_t n) {
    float e[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = min_size(CHUNK, n - start);
        for (size_t i = 0; i < count; i++) e[i] = -fabsf(x[start + i]);
        vector_exp(e, e, 0, count);
        for (size_t i = 0; i < count; i++) {
            float above = x[start + i] < 0 ? 0 : x[start + i];
            out[start + i] = above + log_one_plus(e[i]);
        }
    }
}

void activate(Activation kind, float *out, const float *x, size_t n) {
    switch (kind) {
    case ACT_RELU: relu(out, x, n); break;
    case ACT_RELU_SQUARED: relu_squared(out, x, n); break;
    case ACT_GELU_ERF: gelu_erf(out, x, n); break;
    case ACT_GELU_TANH: gelu_tanh(out, x, n); break;
    case ACT_GELU_QUICK: gelu_quick(out, x, n); break;
    case ACT_SILU: silu(out, x, n); break;
    case ACT_SWIGLU_CLAMPED:
    case ACT_XIELU: REQUIRE(false, "this activation needs a gate, or numbers");
    }
}

/* Unlike fminf, keeps NaN. */
static float at_most(float x, float limit) { return x > limit ? limit : x; }

void swiglu_clamped(float *out, const float *gate, const float *up, size_t n) {
    float g[CHUNK], s[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = min_size(CHUNK, n - start);
        for (size_t i = 0; i < count; i++)
            g[i] = at_most(gate[start + i], 7), s[i] = 1.702f * g[i];
        sigmoid(s, s, count);
        for (size_t i = 0; i < count; i++) {
            float u = -at_most(-at_most(up[start + i], 7), 7);
            out[start + i] = g[i] * s[i] * (u + 1);
        }
    }
}

void activate_limited(Activation kind, float *gate, const float *up, float limit, size_t n) {
    activate(kind, gate, gate, n);
    for (size_t i = 0; i < n; i++)
        gate[i] = at_most(gate[i], limit) * -at_most(-at_most(up[i], limit), limit);
}

void xielu(float *out, const float *x, size_t n, const Xielu *c) {
    for (size_t i = 0; i < n; i++) {
        float u = x[i];
        out[i] = c->beta * u + (u > 0 ? c->p * u * u : c->n * (expm1f(at_most(u, c->eps)) - u));
    }
}

void activate_gated(Activation kind, float *out, const float *gate, const float *up, size_t n) {
    if (kind == ACT_SWIGLU_CLAMPED) {
        swiglu_clamped(out, gate, up, n);
        return;
    }
    activate(kind, out, gate, n);
    for (size_t i = 0; i < n; i++) out[i] *= up[i];
}

void swiglu_backward(float *dgate, float *dup, const float *gate, const float *up,
                     const float *dout, size_t n) {
    float s[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = min_size(CHUNK, n - start);
        sigmoid(s, gate + start, count);
        for (size_t i = 0; i < count; i++) {
            float g = gate[start + i], u = up[start + i], d = dout[start + i];
            dup[start + i] = d * g * s[i];
            dgate[start + i] = d * u * s[i] * (1 + g * (1 - s[i]));
        }
    }
}

void silu_backward(float *dx, const float *x, const float *dy, size_t n) {
    float s[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = min_size(CHUNK, n - start);
        sigmoid(s, x + start, count);
        for (size_t i = 0; i < count; i++)
            dx[start + i] = dy[start + i] * s[i] * (1 + x[start + i] * (1 - s[i]));
    }
}
