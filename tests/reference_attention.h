/* reference_attention.h - attention of one token after the other, in double precision. */
#ifndef STRATA_REFERENCE_ATTENTION_H
#define STRATA_REFERENCE_ATTENTION_H

#include "reference_families.h"
#include "reference_file.h"
#include "words.h"

enum { REFERENCE_WIDEST = 4096 };

static inline double reference_says(const Reference *r, const char *word) {
    return word_in(r->family, word);
}

/* ------------------------------------------------------------------ norms */

static inline void reference_normalize(const Reference *r, const char *kind, const double *x,
                                       int n, double *y) {
    bool rms = strcmp(kind, "rms") == 0;
    double mean = 0, square = 0;
    double eps = reference_number(
        r, rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon", 0);
    for (int i = 0; i < n && !rms; i++) mean += x[i] / n;
    for (int i = 0; i < n; i++) square += (x[i] - mean) * (x[i] - mean) / n;
    for (int i = 0; i < n; i++) y[i] = (x[i] - mean) / sqrt(square + eps);
}

/* The embedding's name; a file may have one table for it and the head. */
static inline const char *reference_table(const Reference *r) {
    return reference_weight(r, -1, "token_embd") ? "token_embd" : "output";
}

static inline const char *reference_norm_kind(const Reference *r) {
    return reference_says(r, "rms") ? "rms" : "layer";
}

/* y (n) = the norm of that name of x; just x where the file has none. */
static inline void reference_norm(const Reference *r, int layer, const char *name,
                                  const double *x, int n, double *y) {
    const double *gain = reference_weight(r, layer, name),
                 *bias = reference_bias(r, layer, name);
    if (!gain) gain = reference_bare(r, layer, name);
    bool bare = reference_says(r, "no-gains") &&
                (!strcmp(name, "attn_norm") || !strcmp(name, "ffn_norm") ||
                 !strcmp(name, "output_norm"));
    if (!gain && !bare) {
        memmove(y, x, sizeof *y * (size_t)n);
        return;
    }
    reference_normalize(r, reference_norm_kind(r), x, n, y);
    for (int i = 0; i < n && gain; i++) y[i] = y[i] * gain[i] + (bias ? bias[i] : 0);
}

/* ------------------------------------------------------------------ a layer's sizes */

typedef struct ReferenceLayer {
    int l, dim, heads, kv_heads, head_dim, value_dim, turning, window;
    const int *until; /* (positions) the last one that each sees; NULL: itself */
    int tokens;       /* of the text, where a token sees all of them; 0: those up to it */
    int back;         /* keys and values are those of the layer so many before it; 0: its own */
    const double *chosen; /* (positions) 1 for those that the token looks at; NULL: all */
    bool turns;
    double frequency[REFERENCE_WIDEST], magnitude; /* of a turn; the first one of each pair */
    double scale, cap, bias;                       /* of scores */
} ReferenceLayer;

/* Blocks of the model itself: draft heads stand behind them, and block_count counts both. */
static inline int reference_layers(const Reference *r) {
    return reference_size(r, "block_count", 0, 0) -
           reference_size(r, "nextn_predict_layers", 0, 0);
}

static inline bool reference_windows(const Reference *r) {
    double layers = reference_says(r, "windows-in");
    if (reference_says(r, "chosen-ahead") && !reference_key(r, "attention.sliding_window"))
        return false; /* SmallThinker 4B */
    return layers == 0 || layers == reference_layers(r);
}

static inline bool reference_has_window(const Reference *r, int l) {
    const char *key = "attention.sliding_window_pattern";
    const GgufPair *pair = reference_key(r, key);
    int period = (int)reference_says(r, "window");
    if (period == 0 || !reference_windows(r)) return false;
    if (pair && pair->type == GGUF_ARRAY) return reference_number_of(r, key, l, 0) != 0;
    period = reference_size(r, key, l, period);
    return l % period != (reference_says(r, "first-full") ? 0 : period - 1);
}

/* By the number of layers: distances in place of turns. */
static inline bool reference_is_alibi(const Reference *r) {
    double layers = reference_says(r, "alibi-in");
    return layers > 0 && layers == reference_layers(r);
}

static inline bool reference_turns(const Reference *r, int l, int window) {
    int nope = (int)reference_says(r, "nope");
    if (reference_is_alibi(r)) return false;
    if (!reference_says(r, "pairs") && !reference_says(r, "halves")) return false;
    if (nope && (l + 1) % nope == 0) return false;
    if (reference_says(r, "turn-in-windows") && reference_windows(r) && window == 0)
        return false;
    return !reference_says(r, "turn?") || reference_number(r, "rope.scaling.finetuned", 1) != 0;
}

/* ------------------------------------------------------------------ positions */

/* How a position's angles are stretched beyond the trained context. */
typedef struct ReferenceStretch {
    double factor, trained, fast, slow, magnitude;
    bool yarn;
} ReferenceStretch;

static inline ReferenceStretch reference_stretch(const Reference *r, const ReferenceLayer *s) {
    ReferenceStretch z = {.factor = 1, .magnitude = 1};
    if (reference_text_is(r, "rope.scaling.type", "none")) return z;
    if (s->window && reference_says(r, "as-trained")) return z;
    z.factor =
        reference_number(r, "rope.scaling.factor", reference_number(r, "rope.scale_linear", 1));
    if (s->window && reference_says(r, "unstretched")) z.factor = 1;
    z.yarn = reference_text_is(r, "rope.scaling.type", "yarn");
    if (reference_weight(r, -1, "rope_factors_long"))
        z.magnitude = reference_number(r, "rope.scaling.attn_factor", 1);
    if (!z.yarn) return z;
    z.trained = reference_number(r, "rope.scaling.original_context_length",
                                 reference_number(r, "context_length", 0));
    z.fast = reference_number(r, "rope.scaling.yarn_beta_fast", 32);
    z.slow = reference_number(r, "rope.scaling.yarn_beta_slow", 1);
    double grown = log(z.factor),
           out = reference_number(r, "rope.scaling.yarn_log_multiplier", 0);
    z.magnitude = (1 + 0.1 * grown) / (1 + 0.1 * out * grown) *
                  reference_number(r, "rope.scaling.attn_factor", 1);
    if (reference_says(r, "latents") && out > 0) /* scores grow instead */
        z.magnitude = reference_number(r, "rope.scaling.attn_factor", 1);
    return z;
}

static inline double reference_base(const Reference *r, const ReferenceLayer *s) {
    double base = reference_number(r, "rope.freq_base", 10000), own = reference_says(r, "base"),
           alpha = reference_number(r, "rope.scaling.alpha", 1), turning = s->turning;
    base *= pow(alpha, turning / (turning - 2));
    return s->window ? reference_number(r, "rope.freq_base_swa", own > 0 ? own : base) : base;
}

/* What pair i turns by from one position to the next. */
static inline double reference_frequency(const Reference *r, const ReferenceLayer *s, int i) {
    ReferenceStretch z = reference_stretch(r, s);
    const double *divisor = reference_weight(r, -1, "rope_freqs");
    if (reference_weight(r, -1,
                         "rope_factors_long")) { /* of a session as long as the context */
        bool far = reference_number(r, "context_length", 0) >
                   reference_number(r, "rope.scaling.original_context_length", 0);
        divisor = reference_weight(r, -1, far ? "rope_factors_long" : "rope_factors_short");
    }
    if ((reference_says(r, "half-full") || reference_says(r, "full-divisors")) && s->window)
        divisor = NULL;
    double base = reference_base(r, s),
           freq = pow(base, -2.0 * i / s->turning) / (divisor ? divisor[i] : 1);
    if (!z.yarn) return freq / z.factor;
    /* pairs that turn `fast` times in the trained context stay, those below `slow` are stretched */
    double c = s->turning / (2 * log(base)), low = c * log(z.trained / (z.fast * 2 * M_PI)),
           high = c * log(z.trained / (z.slow * 2 * M_PI));
    low = fmax(0, floor(low)), high = fmin(s->turning - 1, ceil(high));
    double stretched = fmin(1, fmax(0, (i - low) / fmax(0.001, high - low)));
    return freq * (1 - stretched) + freq / z.factor * stretched;
}

static inline void reference_set_turns(const Reference *r, ReferenceLayer *s) {
    s->magnitude = reference_stretch(r, s).magnitude;
    for (int i = 0; i < s->turning / 2 && s->turns; i++)
        s->frequency[i] = reference_frequency(r, s, i);
}

/* What pair i turns by: Qwen 2 VL and PaddleOCR-VL have the pairs of time, row and column one after another, its successors in turn
 * for as long as there are some. */
static inline int reference_turn_at(const Reference *r, int position, int i) {
    if (!r->places) return position;
    const double time = reference_number_of(r, "rope.dimension_sections", 0, 0),
                 row = reference_number_of(r, "rope.dimension_sections", 1, 0),
                 column = reference_number_of(r, "rope.dimension_sections", 2, 0);
    if (strcmp(r->arch, "qwen2vl") == 0 || strcmp(r->arch, "paddleocr") == 0)
        return r->places[position][i < time ? 0 : i < time + row ? 1 : 2];
    return r->places[position][i % 3 == 1 && i < 3 * row      ? 1
                               : i % 3 == 2 && i < 3 * column ? 2
                                                              : 0];
}

static inline void reference_turn(const Reference *r, const ReferenceLayer *s, int position,
                                  double *head) {
    double size = s->magnitude;
    for (int i = 0; i < s->turning / 2; i++) {
        double angle = reference_turn_at(r, position, i) * s->frequency[i];
        int a = reference_says(r, "pairs") ? 2 * i : i,
            b = reference_says(r, "pairs") ? 2 * i + 1 : i + s->turning / 2;
        double re = head[a], im = head[b];
        head[a] = size * (re * cos(angle) - im * sin(angle));
        head[b] = size * (re * sin(angle) + im * cos(angle));
    }
}

/* Queries grow with the position, by a key or, where a layer does not turn, by the family. */
static inline double reference_warmth(const Reference *r, const ReferenceLayer *s,
                                      int position) {
    double scale = reference_number(r, "attention.temperature_scale", 0),
           every = reference_number(r, "rope.scaling.original_context_length",
                                    reference_number(r, "context_length", 1)),
           own = reference_says(r, "warm");
    every = reference_number(r, "attention.temperature_length", every);
    if (own > 0 && !s->turns) return 1 + 0.1 * log(1 + floor((position + 1) / own));
    return 1 + scale * log(1 + floor(position / every));
}

/* ------------------------------------------------------------------ scores */

/* A number that files give with a key, and else the family. */
static inline double reference_key_or_word(const Reference *r, const char *key,
                                           const char *word) {
    return reference_number(r, key, reference_says(r, word));
}

/* Layers behind those that keep keys and values read the last of their kind. */
static inline int reference_back(const Reference *r, int l) {
    int layers = reference_size(r, "block_count", 0, 0), own = (int)reference_says(r, "own"),
        from = layers - reference_size(r, "attention.shared_kv_layers", 0,
                                       own && own < layers ? layers - own : 0);
    if (!own || l < from) return 0;
    while (--from >= 0 && reference_has_window(r, from) != reference_has_window(r, l)) continue;
    return l - from;
}

static inline void reference_set_scores(const Reference *r, ReferenceLayer *s) {
    bool wide = reference_number(r, "block_count", 0) == reference_says(r, "wide");
    double scale = reference_number(r, "attention.scale", 0);
    if (reference_says(r, "unscaled")) scale = 1;
    if (reference_says(r, "grok"))
        scale = reference_number(r, "attention.output_scale", sqrt(1.0 / 128));
    s->scale = scale > 0 ? scale : 1 / sqrt(wide ? s->dim / s->heads : s->head_dim);
    s->cap = reference_key_or_word(r, "attn_logit_softcapping", "cap");
    s->bias = reference_is_alibi(r)
                  ? 8
                  : reference_key_or_word(r, "attention.max_alibi_bias", "alibi");
}

static inline ReferenceLayer reference_layer(const Reference *r, int l) {
    ReferenceLayer s = {.l = l, .dim = reference_size(r, "embedding_length", l, 0)};
    s.heads = reference_size(r, "attention.head_count", l, 0);
    s.kv_heads = reference_size(r, "attention.head_count_kv", l, s.heads);
    s.head_dim = reference_size(r, "attention.key_length", l, s.heads ? s.dim / s.heads : 0);
    s.value_dim = reference_size(r, "attention.value_length", l, s.head_dim);
    s.turning = reference_size(r, "rope.dimension_count", l, s.head_dim);
    if (reference_has_window(r, l))
        s.window = reference_size(r, "attention.sliding_window", l, 0);
    if (s.window) { /* heads with a window may have lengths of their own */
        s.head_dim = reference_size(r, "attention.key_length_swa", l, s.head_dim);
        s.value_dim = reference_size(r, "attention.value_length_swa", l, s.value_dim);
        s.turning = reference_size(r, "rope.dimension_count_swa", l, s.turning);
    }
    s.back = reference_back(r, l);
    if (reference_says(r, "half-full") && !s.window) s.turning /= 2;
    s.turns = reference_turns(r, l, s.window);
    reference_set_turns(r, &s);
    reference_set_scores(r, &s);
    return s;
}

/* ------------------------------------------------------------------ queries, keys and values */

/* The norm of each of some heads, with one gain for all or for each; or of all together. */
static inline void reference_head_norm(const Reference *r, const ReferenceLayer *s,
                                       const char *name, int heads, double *x) {
    const GgufTensor *t = reference_find(r, s->l, name, "weight");
    const double *gain = reference_values(r, t), *bias = reference_bias(r, s->l, name);
    if (!t) return;
    int own = (int)t->shape[t->ndim - 1] * (t->ndim > 1 ? (int)t->shape[0] : 1),
        together = (int)t->shape[t->ndim - 1];
    for (int at = 0; at < heads * s->head_dim; at += together) {
        reference_normalize(r, reference_norm_kind(r), x + at, together, x + at);
        for (int i = at; i < at + together; i++)
            x[i] = x[i] * gain[i % own] + (bias ? bias[i % own] : 0);
    }
}

static inline void reference_place(const Reference *r, const ReferenceLayer *s,
                                   const char *norm, int heads, int position, double *x) {
    bool late = reference_says(r, "late") != 0;
    if (!late) reference_head_norm(r, s, norm, heads, x);
    for (int h = 0; h < heads && s->turns; h++) {
        double *head = x + h * s->head_dim;
        reference_turn(r, s, position, head);
        if (reference_says(r, "unit")) reference_normalize(r, "rms", head, s->head_dim, head);
    }
    if (late) reference_head_norm(r, s, norm, heads, x);
}

static inline void reference_clamp(const Reference *r, double *x, int n) {
    double most = reference_number(r, "attention.clamp_kqv", 0);
    for (int i = 0; i < n && most > 0; i++) x[i] = fmin(most, fmax(-most, x[i]));
}

static inline bool reference_gates_lie_in_q(const Reference *r, const ReferenceLayer *s) {
    const GgufTensor *t = reference_find(r, s->l, "attn_q", "weight");
    return t && (int)t->shape[t->ndim - 2] == 2 * s->heads * s->head_dim;
}

/* What is mixed passes a gate for each number or each head, and a norm, where the file has them. */
static inline void reference_finish(const Reference *r, const ReferenceLayer *s,
                                    const double *x, double *mixed) {
    const GgufTensor *t = reference_find(r, s->l, "attn_gate", "weight");
    int width = s->heads * s->value_dim, gates = t ? (int)t->shape[t->ndim - 2] : width;
    double gate[REFERENCE_WIDEST];
    bool in_q = reference_gates_lie_in_q(r, s);
    if (t) reference_rows(r, s->l, "attn_gate", 0, gates, x, gate);
    for (int h = 0; h < s->heads && in_q; h++)
        reference_rows(r, s->l, "attn_q", (2 * h + 1) * s->head_dim, s->head_dim, x,
                       gate + h * s->head_dim);
    for (int i = 0; i < width && (t || in_q); i++)
        mixed[i] /= 1 + exp(-gate[i / (width / gates)]);
    reference_norm(r, s->l, "attn_sub_norm", mixed, width, mixed);
}

static inline void reference_qkv(const Reference *r, const ReferenceLayer *s, int position,
                                 const double *x, double *q, double *k, double *v) {
    bool one = reference_weight(r, s->l, "attn_qkv");
    int nq = s->heads * s->head_dim, nk = s->kv_heads * s->head_dim,
        nv = s->kv_heads * s->value_dim;
    bool gated = reference_gates_lie_in_q(r, s);
    for (int h = 0; h < s->heads && gated; h++) /* of each head a query, then a gate */
        reference_rows(r, s->l, "attn_q", 2 * h * s->head_dim, s->head_dim, x,
                       q + h * s->head_dim);
    if (!gated) reference_rows(r, s->l, one ? "attn_qkv" : "attn_q", 0, nq, x, q);
    reference_clamp(r, q, nq);
    reference_place(r, s, "attn_q_norm", s->heads, position, q);
    double warmth = reference_warmth(r, s, position);
    for (int i = 0; i < nq; i++) q[i] *= warmth;
    if (s->back) return;
    const char *values = reference_weight(r, s->l, "attn_v") ? "attn_v" : "attn_k";
    reference_rows(r, s->l, one ? "attn_qkv" : "attn_k", one ? nq : 0, nk, x, k);
    reference_rows(r, s->l, one ? "attn_qkv" : values, one ? nq + nk : 0, nv, x, v);
    for (int h = 0; h < s->kv_heads && reference_says(r, "value-norms"); h++)
        reference_normalize(r, "rms", v + h * s->value_dim, s->value_dim, v + h * s->value_dim);
    double scale = reference_number(r, "attention.value_scale", 1);
    for (int i = 0; i < nv; i++) v[i] *= scale;
    reference_clamp(r, k, nk), reference_clamp(r, v, nv);
    reference_place(r, s, "attn_k_norm", s->kv_heads, position, k);
}

/* ------------------------------------------------------------------ attention */

/* Where all tokens are seen, a window lies around the one that looks. */
static inline int reference_last_seen(const ReferenceLayer *s, int position) {
    if (!s->tokens) return s->until ? s->until[position] : position;
    return s->window && position + s->window / 2 < s->tokens ? position + s->window / 2
                                                             : s->tokens - 1;
}

static inline int reference_first_seen(const Reference *r, const ReferenceLayer *s,
                                       int position) {
    int chunk = (int)reference_says(r, "chunk");
    if (chunk && s->turns) return position / chunk * chunk;
    if (s->tokens) return s->window && position > s->window / 2 ? position - s->window / 2 : 0;
    return s->window && position >= s->window ? position - s->window + 1 : 0;
}

/* Heads have slopes 2^(-b/n), 2^(-2b/n), ... for n a power of two; those beyond it every other one of
 * the series for 2n. */
static inline double reference_slope(const ReferenceLayer *s, int head) {
    int n = 1;
    while (2 * n <= s->heads) n *= 2;
    if (s->bias == 0) return 0;
    return head < n ? pow(2, -s->bias * (head + 1) / n)
                    : pow(2, -s->bias / 2 * (2 * (head - n) + 1) / n);
}

static inline double reference_score(const ReferenceLayer *s, int head, int distance,
                                     const double *q, const double *k) {
    double dot = 0;
    for (int i = 0; i < s->head_dim; i++) dot += q[i] * k[i];
    dot *= s->scale;
    if (s->cap > 0) dot = s->cap * tanh(dot / s->cap);
    return dot - reference_slope(s, head) * distance;
}

/* Is position j one of those that a token at `position` looks at?  NULL: it looks at all. */
static inline bool reference_sees(const double *chosen, int j) {
    return !chosen || chosen[j] > 0;
}

/* mixed (value_dim) = what one head of a token gets; k, v: those of all tokens that it sees. */
static inline void reference_head(const Reference *r, const ReferenceLayer *s, int head,
                                  int position, const double *q, const double *k,
                                  const double *v, double *mixed) {
    const double *sinks = reference_weight(r, s->l, "attn_sinks");
    int shared = head / (s->heads / s->kv_heads), nk = s->kv_heads * s->head_dim,
        nv = s->kv_heads * s->value_dim, first = reference_first_seen(r, s, position),
        last = reference_last_seen(s, position);
    double weight[REFERENCE_WIDEST], most = sinks ? sinks[head] : -INFINITY, sum = 0;
    for (int j = first; j <= last; j++) {
        weight[j] = reference_score(s, head, abs(position - j), q + head * s->head_dim,
                                    k + j * nk + shared * s->head_dim);
        if (!reference_sees(s->chosen, j)) weight[j] = -INFINITY;
        most = fmax(most, weight[j]);
    }
    for (int j = first; j <= last; j++) sum += weight[j] = exp(weight[j] - most);
    if (sinks) sum += exp(sinks[head] - most);
    for (int i = 0; i < s->value_dim; i++) {
        mixed[i] = 0;
        for (int j = first; j <= last; j++)
            mixed[i] += weight[j] / sum * v[j * nv + shared * s->value_dim + i];
    }
}

/* y (dim) = attention of a token; its key and value go into k and v at its position. */
static inline void reference_attention(const Reference *r, const ReferenceLayer *s,
                                       int position, const double *x, double *k, double *v,
                                       double *y) {
    double q[REFERENCE_WIDEST], mixed[REFERENCE_WIDEST];
    reference_qkv(r, s, position, x, q, k + position * s->kv_heads * s->head_dim,
                  v + position * s->kv_heads * s->value_dim);
    for (int h = 0; h < s->heads; h++)
        reference_head(r, s, h, position, q, k, v, mixed + h * s->value_dim);
    reference_finish(r, s, x, mixed);
    reference_rows(r, s->l, "attn_output", 0, s->dim, mixed, y);
}

#endif
