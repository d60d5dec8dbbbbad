/* reference.h - a whole language model in double precision, written as plainly as it can be,
 * sharing nothing with the layers but the file reader.  For llama, qwen2, qwen3, gemma, gemma2,
 * gemma3 and gpt2 files. */
#ifndef STRATA_REFERENCE_H
#define STRATA_REFERENCE_H

#include "tensor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reference {
    const Gguf *gguf;
    char arch[32];
    double *values[2048]; /* by tensor index, as doubles */
} Reference;

/* Quantized weights are multiplied with inputs in steps of a 127th of 32 numbers' largest. */
static bool reference_rounds;

/* Inputs have the 8 bits of BF16, as some instruction sets have it with BF16 weights: the caller
 * says so, after reference_open. */
static bool reference_rounds_bf16;

static inline double reference_number(const Reference *r, const char *key, double fallback) {
    char name[128];
    double value;
    snprintf(name, sizeof name, "%s.%s", r->arch, key);
    return gguf_float(gguf_find(r->gguf, name), 0, &value) ? value : fallback;
}

static inline double *reference_tensor(const Reference *r, const char *format, int layer) {
    char name[128];
    snprintf(name, sizeof name, format, layer);
    const GgufTensor *t = gguf_find_tensor(r->gguf, name);
    return t ? r->values[t - r->gguf->tensors] : NULL;
}

static inline double reference_half(const unsigned char *p) { /* by definition */
    int bits = p[0] | p[1] << 8, exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent ? ldexp(1 + fraction / 1024.0, exponent - 15) : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

static inline double reference_element(const GgufTensor *t, size_t i) {
    float f;
    uint32_t bits;
    switch (t->dtype) {
    case DTYPE_F32: memcpy(&f, t->data + 4 * i, 4); return (double)f;
    case DTYPE_F16: return reference_half(t->data + 2 * i);
    case DTYPE_BF16:
        bits = (uint32_t)(t->data[2 * i] | t->data[2 * i + 1] << 8) << 16;
        memcpy(&f, &bits, 4);
        return (double)f;
    case DTYPE_Q8_0:
        return reference_half(t->data + i / 32 * 34) *
               (signed char)t->data[i / 32 * 34 + 2 + i % 32];
    default: return (double)NAN;
    }
}

static inline void reference_open(Reference *r, const Gguf *gguf) {
    Text arch;
    const GgufTensor *q = gguf_find_tensor(gguf, "blk.0.ffn_down.weight");
    reference_rounds = q && q->dtype == DTYPE_Q8_0;
    reference_rounds_bf16 = false;
    memset(r, 0, sizeof *r);
    r->gguf = gguf;
    gguf_string(gguf_find(gguf, "general.architecture"), &arch);
    memcpy(r->arch, arch.data, arch.size);
    for (size_t i = 0; i < gguf->n_tensors; i++) {
        const GgufTensor *t = &gguf->tensors[i];
        size_t count = t->shape[0] * t->shape[1] * t->shape[2] * t->shape[3];
        r->values[i] = malloc(count * sizeof(double));
        for (size_t k = 0; k < count; k++) r->values[i][k] = reference_element(t, k);
    }
}

static inline void reference_close(Reference *r) {
    for (size_t i = 0; i < r->gguf->n_tensors; i++) free(r->values[i]);
}

static inline double reference_bf16(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(x, 8 - exponent)), exponent - 8);
}

static inline void reference_linear(const double *w, const double *bias, const double *given,
                                    int out, int in, double *y) {
    double *x = malloc(sizeof *x * (size_t)in);
    for (int k = 0; k < in; k++) {
        double most = 0;
        for (int i = k / 32 * 32; i < k / 32 * 32 + 32 && i < in; i++)
            most = fmax(most, fabs(given[i]));
        x[k] = reference_rounds && most > 0 ? nearbyint(given[k] / most * 127) * most / 127
                                            : given[k];
        if (reference_rounds_bf16) x[k] = reference_bf16(given[k]);
    }
    for (int i = 0; i < out; i++) {
        y[i] = bias ? bias[i] : 0;
        for (int k = 0; k < in; k++) y[i] += w[(size_t)i * (size_t)in + (size_t)k] * x[k];
    }
    free(x);
}

static inline void reference_norm(bool layer, const double *x, const double *gain,
                                  const double *bias, int n, double eps, double *y) {
    double mean = 0, square = 0;
    for (int i = 0; layer && i < n; i++) mean += x[i] / n;
    for (int i = 0; i < n; i++) square += (x[i] - mean) * (x[i] - mean) / n;
    for (int i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sqrt(square + eps) * gain[i] + (bias ? bias[i] : 0);
}

/* logits (n, vocab) of a text */
static inline void reference_logits(const Reference *r, const int32_t *tokens, int n,
                                    double *logits) {
    bool gpt2 = !strcmp(r->arch, "gpt2"), gemma = !strncmp(r->arch, "gemma", 5),
         pairs = !strcmp(r->arch, "llama");
    bool gemma2 = !strcmp(r->arch, "gemma2"), gemma3 = !strcmp(r->arch, "gemma3");
    int layers = (int)reference_number(r, "block_count", 0),
        dim = (int)reference_number(r, "embedding_length", 0);
    int hidden = (int)reference_number(r, "feed_forward_length", 0),
        heads = (int)reference_number(r, "attention.head_count", 0);
    int kv = (int)reference_number(r, "attention.head_count_kv", heads),
        hd = (int)reference_number(r, "attention.key_length", dim / heads);
    int experts = (int)reference_number(r, "expert_count", 0),
        used = (int)reference_number(r, "expert_used_count", 0);
    double eps = reference_number(
        r, gpt2 ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", 0);
    double *embd = reference_tensor(r, "token_embd.weight", 0),
           *head = reference_tensor(r, "output.weight", 0);
    const GgufTensor *table = gguf_find_tensor(r->gguf, "token_embd.weight");
    int vocab = (int)table->shape[0], wide = heads * hd, narrow = kv * hd;
    double *x = malloc(sizeof(double) * (size_t)(n * dim)),
           *q = malloc(sizeof(double) * (size_t)(n * wide));
    double *k = malloc(sizeof(double) * (size_t)(n * narrow)),
           *v = malloc(sizeof(double) * (size_t)(n * narrow));
    double h[4096], qkv[4096], mixed[4096], branch[4096], up[4096], gate[4096], score[4096];
    for (int t = 0; t < n; t++)
        for (int i = 0; i < dim; i++) {
            x[t * dim + i] =
                embd[(size_t)tokens[t] * (size_t)dim + (size_t)i] * (gemma ? sqrt(dim) : 1);
            if (gpt2)
                x[t * dim + i] += reference_tensor(r, "position_embd.weight", 0)[t * dim + i];
        }
    for (int l = 0; l < layers; l++) {
#define W(what) reference_tensor(r, "blk.%d." what ".weight", l)
#define B(what) reference_tensor(r, "blk.%d." what ".bias", l)
        int pattern = gemma2   ? 2
                      : gemma3 ? 6
                               : 0,
            window = pattern && l % pattern < pattern - 1
                         ? (int)reference_number(r, "attention.sliding_window", 4096)
                         : 0;
        double theta = gemma3 && window ? 10000 : reference_number(r, "rope.freq_base", 10000);
        double factor = window && gemma3 ? 1 : reference_number(r, "rope.scaling.factor", 1),
               stretch = 1;
        const double *divisors = reference_tensor(r, "rope_freqs.weight", 0);
        for (int t = 0; t < n; t++) {
            reference_norm(gpt2, x + t * dim, W("attn_norm"), B("attn_norm"), dim, eps, h);
            if (W("attn_qkv")) {
                reference_linear(W("attn_qkv"), B("attn_qkv"), h, wide + 2 * narrow, dim, qkv);
                memcpy(q + t * wide, qkv, sizeof(double) * (size_t)wide);
                memcpy(k + t * narrow, qkv + wide, sizeof(double) * (size_t)narrow);
                memcpy(v + t * narrow, qkv + wide + narrow, sizeof(double) * (size_t)narrow);
            } else {
                reference_linear(W("attn_q"), B("attn_q"), h, wide, dim, q + t * wide);
                reference_linear(W("attn_k"), B("attn_k"), h, narrow, dim, k + t * narrow);
                reference_linear(W("attn_v"), B("attn_v"), h, narrow, dim, v + t * narrow);
            }
            for (int s = 0; s < heads + kv; s++) { /* each head of q, then of k */
                double *one = s < heads ? q + t * wide + s * hd
                                        : k + t * narrow + (s - heads) * hd,
                       *gain = s < heads ? W("attn_q_norm") : W("attn_k_norm");
                if (gain) reference_norm(false, one, gain, NULL, hd, eps, one);
                for (int i = 0; !gpt2 && i < hd / 2; i++) {
                    double freq = pow(theta, -2.0 * i / hd) / (divisors ? divisors[i] : 1);
                    if (factor != 1) { /* yarn: a ramp between turning pairs and slow ones */
                        double ctx = reference_number(r, "rope.scaling.original_context_length",
                                                      0),
                               c = hd / (2 * log(theta));
                        double low = fmax(0, floor(c * log(ctx / (32 * 2 * M_PI)))),
                               high = fmin(hd - 1, ceil(c * log(ctx / (2 * M_PI))));
                        double keep = 1 - fmin(1, fmax(0, (i - low) / fmax(0.001, high - low)));
                        freq = freq * keep + freq / factor * (1 - keep);
                        stretch = 1 + 0.1 * log(factor);
                    }
                    int a = pairs ? 2 * i : i, b = pairs ? 2 * i + 1 : i + hd / 2;
                    double re = one[a], im = one[b];
                    one[a] = stretch * (re * cos(t * freq) - im * sin(t * freq));
                    one[b] = stretch * (re * sin(t * freq) + im * cos(t * freq));
                }
            }
        }
        for (int t = 0; t < n; t++) {
            for (int s = 0; s < heads; s++) {
                int g = s / (heads / kv),
                    first = window && t - window + 1 > 0 ? t - window + 1 : 0;
                double max = -INFINITY, sum = 0;
                for (int j = first; j <= t; j++) {
                    score[j] = 0;
                    for (int i = 0; i < hd; i++)
                        score[j] +=
                            q[t * wide + s * hd + i] * k[j * narrow + g * hd + i] / sqrt(hd);
                    if (gemma2) score[j] = 50 * tanh(score[j] / 50);
                    max = fmax(max, score[j]);
                }
                for (int j = first; j <= t; j++) sum += score[j] = exp(score[j] - max);
                for (int i = 0; i < hd; i++) {
                    mixed[s * hd + i] = 0;
                    for (int j = first; j <= t; j++)
                        mixed[s * hd + i] += score[j] / sum * v[j * narrow + g * hd + i];
                }
            }
            reference_linear(W("attn_output"), B("attn_output"), mixed, dim, wide, branch);
            if (W("post_attention_norm"))
                reference_norm(false, branch, W("post_attention_norm"), NULL, dim, eps, branch);
            for (int i = 0; i < dim; i++) x[t * dim + i] += branch[i];
            reference_norm(gpt2, x + t * dim, W("ffn_norm"), B("ffn_norm"), dim, eps, h);
            double weight[64] = {1}, total = 0;
            int chosen[64] = {0}, count = experts ? used : 1;
            if (experts) {
                reference_linear(W("ffn_gate_inp"), NULL, h, experts, dim, score);
                for (int e = 0; e < used; e++) {
                    for (int i = chosen[e] = 0; i < experts; i++)
                        chosen[e] = score[i] > score[chosen[e]] ? i : chosen[e];
                    total += weight[e] = exp(score[chosen[e]]);
                    score[chosen[e]] = -INFINITY;
                }
                for (int e = 0; e < used; e++) weight[e] /= total;
            }
            memset(branch, 0, sizeof branch);
            for (int e = 0; e < count; e++) {
                size_t at = (size_t)chosen[e] * (size_t)hidden * (size_t)dim;
                reference_linear(experts ? W("ffn_up_exps") + at : W("ffn_up"),
                                 experts ? NULL : B("ffn_up"), h, hidden, dim, up);
                if (!gpt2)
                    reference_linear(experts ? W("ffn_gate_exps") + at : W("ffn_gate"),
                                     experts ? NULL : B("ffn_gate"), h, hidden, dim, gate);
                for (int i = 0; i < hidden; i++) {
                    double a = gpt2 ? up[i] : gate[i];
                    a = gpt2 || gemma
                            ? 0.5 * a * (1 + tanh(sqrt(2 / M_PI) * (a + 0.044715 * a * a * a)))
                            : a / (1 + exp(-a));
                    up[i] = gpt2 ? a : a * up[i];
                }
                reference_linear(experts ? W("ffn_down_exps") + at : W("ffn_down"),
                                 experts ? NULL : B("ffn_down"), up, dim, hidden, qkv);
                for (int i = 0; i < dim; i++) branch[i] += weight[e] * qkv[i];
            }
            if (W("post_ffw_norm"))
                reference_norm(false, branch, W("post_ffw_norm"), NULL, dim, eps, branch);
            for (int i = 0; i < dim; i++) x[t * dim + i] += branch[i];
        }
#undef W
#undef B
    }
    double cap = reference_number(r, "final_logit_softcapping", gemma2 ? 30 : 0);
    for (int t = 0; t < n; t++) {
        reference_norm(gpt2, x + t * dim, reference_tensor(r, "output_norm.weight", 0),
                       reference_tensor(r, "output_norm.bias", 0), dim, eps, h);
        reference_linear(head ? head : embd, NULL, h, vocab, dim,
                         logits + (size_t)t * (size_t)vocab);
        for (int i = 0; cap > 0 && i < vocab; i++)
            logits[t * vocab + i] = cap * tanh(logits[t * vocab + i] / cap);
    }
    free(x), free(q), free(k), free(v);
}

#endif
