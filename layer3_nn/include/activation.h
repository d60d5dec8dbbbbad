/* activation.h - the nonlinearity between two linear maps, without which they would be one map.
 *
 * All functions are elementwise; out may be the input. */
#ifndef STRATA_ACTIVATION_H
#define STRATA_ACTIVATION_H

#include "linalg.h"

typedef enum Activation {
    ACT_RELU,
    ACT_RELU_SQUARED,
    ACT_GELU_ERF,
    ACT_GELU_TANH,
    ACT_GELU_QUICK,
    ACT_SILU,
    ACT_SWIGLU_CLAMPED, /* gated only */
    ACT_XIELU,          /* has parameters of each layer: xielu; not gated */
} Activation;

/* relu          max(x, 0)
 * relu_squared  max(x, 0)^2                   So et al. 2021, arXiv:2109.08668
 * gelu_erf      x Phi(x)                      Hendrycks & Gimpel 2016, arXiv:1606.08415
 * gelu_tanh     approximated by tanh          GPT-2, Gemma
 * gelu_quick    x / (1 + exp(-1.702 x))       approximated more coarsely; CLIP
 * silu          x / (1 + exp(-x))             Elfwing 2017, arXiv:1702.03118
 * sigmoid_row   1 / (1 + exp(-x))
 * softplus      ln(1 + exp(x)); x > 20: equal to x in f32 */
void relu(float *out, const float *x, size_t n);
void relu_squared(float *out, const float *x, size_t n);
void gelu_erf(float *out, const float *x, size_t n);
void gelu_tanh(float *out, const float *x, size_t n);
void gelu_quick(float *out, const float *x, size_t n);
void silu(float *out, const float *x, size_t n);
void sigmoid_row(float *out, const float *x, size_t n);
void softplus(float *out, const float *x, size_t n);

/* The function above that `kind` names: relu for ACT_RELU, and so on.  Not ACT_SWIGLU_CLAMPED
 * (needs a gate) or ACT_XIELU (needs parameters). */
void activate(Activation kind, float *out, const float *x, size_t n);

/* A gated unit: one linear map controls how much of another one passes.
 *
 *     out[i] = act(gate[i]) * up[i]          SwiGLU with SiLU, GeGLU with GELU
 *
 * ACT_SWIGLU_CLAMPED is the one of swiglu_clamped, below.
 *
 *   out    (n)   written; may be gate
 * Source   Shazeer 2020, arXiv:2002.05202. */
void activate_gated(Activation kind, float *out, const float *gate, const float *up, size_t n);

/* The same with limits: min(act(gate), limit) * clamp(up, -limit, limit).
 *
 *   gate   (n)   written
 * Source   StepFun 2025, Step 3.5's reference code. */
void activate_limited(Activation kind, float *gate, const float *up, float limit, size_t n);

/* A learned activation, with parameters of each layer.
 *
 *     x > 0    p x^2 + beta x
 *     else     n (exp(min(x, eps)) - 1 - x) + beta x
 *
 * Source   Huang & Schlag 2024, arXiv:2411.13010; Apertus 2025, arXiv:2509.14233, sec. 2.1. */
typedef struct Xielu {
    float p, n, beta, eps;
} Xielu;
void xielu(float *out, const float *x, size_t n, const Xielu *curve);

/* The gated unit of gpt-oss: both sides are bounded.
 *
 *     g = min(gate, 7)    u = clamp(up, -7, 7)    out = g / (1 + exp(-1.702 g)) * (u + 1)
 *
 * Source   OpenAI 2025, arXiv:2508.10925, sec. 2.2 and the reference code's constants. */
void swiglu_clamped(float *out, const float *gate, const float *up, size_t n);

/* The gradient through SiLU, with s = 1 / (1 + exp(-x)): dx = dy * s * (1 + x * (1 - s)).
 *
 *   dx   (n)   written; may be x or dy */
void silu_backward(float *dx, const float *x, const float *dy, size_t n);

/* The gradients through SwiGLU.
 *
 *     s = 1 / (1 + exp(-gate))
 *     dup   = dout * gate * s
 *     dgate = dout * up * s * (1 + gate * (1 - s))
 *
 *   dgate, dup   (n)   written; may be gate and up themselves
 *   dout         (n)   gradient of the loss with respect to the output */
void swiglu_backward(float *dgate, float *dup, const float *gate, const float *up,
                     const float *dout, size_t n);

#endif
