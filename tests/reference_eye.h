/* reference_eye.h - what a picture becomes on its way into a language model, in double precision, as the authors of
 * LLaVA 1.5, Gemma 3 and 4, Idefics 3, InternVL, Qwen 2 and 2.5 VL, Llama 4 and Pixtral have it; or, last, as llama.cpp does. */
#ifndef STRATA_REFERENCE_EYE_H
#define STRATA_REFERENCE_EYE_H

#include "reference_attention.h"

/* All rows of a picture in blocks that see all of them. */
typedef struct ReferenceEye {
    Reference r;
    /* the class row stands last, one block fewer is run of old files, too, and so on */
    bool last;
    bool own;    /* there is such a row */
    bool behind; /* ... after the patches */
    char kind[32];
    bool qwen, pixtral, llama4, gemma4, rms;
    int deep; /* of so many first blocks there are rows for the model, too */
    int wide, patch, across, down, n, dim, heads, hidden, blocks;
    double *x;        /* (n, dim); row 0, or the last one, is no patch's */
    double *after[8]; /* x behind such a block */
} ReferenceEye;

static inline bool reference_flag(const Reference *r, const char *key) {
    const GgufPair *pair = gguf_find(r->gguf, key);
    return pair && *pair->data;
}

static inline const char *reference_eye_kind(const Gguf *gguf) {
    static char name[32];
    Text text = text_of("mlp");
    const GgufPair *pair = gguf_find(gguf, "clip.projector_type");
    if (!pair) pair = gguf_find(gguf, "clip.vision.projector_type");
    if (pair) gguf_string(pair, &text);
    snprintf(name, sizeof name, "%.*s", (int)text.size, text.data);
    return name;
}

static inline bool reference_eye_is(const ReferenceEye *e, const char *kind) {
    return strcmp(e->kind, kind) == 0;
}

/* The picture's sides in pixels. */
static inline void reference_eye_size(ReferenceEye *e, int width, int height) {
    e->wide = width, e->across = width / e->patch, e->down = height / e->patch;
    e->n = e->across * e->down + e->own;
    free(e->x);
    e->x = calloc((size_t)(e->n * e->dim), sizeof *e->x);
}

static inline void reference_eye_open(ReferenceEye *e, const Gguf *gguf, bool last) {
    *e = (ReferenceEye){.last = last};
    reference_load(&e->r, gguf);
    snprintf(e->r.arch, sizeof e->r.arch, "clip.vision");
    e->patch = reference_size(&e->r, "patch_size", 0, 0);
    snprintf(e->kind, sizeof e->kind, "%s", reference_eye_kind(gguf));
    e->llama4 = reference_eye_is(e, "llama4"), e->gemma4 = reference_eye_is(e, "gemma4v");
    e->own = reference_eye_is(e, "mlp") || reference_eye_is(e, "internvl") || e->llama4;
    e->behind = last || e->llama4;
    e->qwen = strncmp(e->kind, "qwen", 4) == 0, e->pixtral = reference_eye_is(e, "pixtral");
    e->rms = e->pixtral || e->gemma4 || reference_eye_is(e, "qwen2.5vl_merger");
    e->dim = reference_size(&e->r, "embedding_length", 0, 0);
    e->heads = reference_size(&e->r, "attention.head_count", 0, 0);
    e->hidden = reference_size(&e->r, "feed_forward_length", 0, 0);
    e->blocks = reference_size(&e->r, "block_count", 0, 0);
    if (reference_eye_is(e, "mlp") &&
        (last || !reference_flag(&e->r, "clip.has_llava_projector")))
        e->blocks--;
    e->blocks = reference_size(&e->r, "feature_layer", 0, e->blocks);
    const int side = reference_size(&e->r, "image_size", 0, 0);
    for (char name[64]; e->deep < 8; e->deep++) {
        snprintf(name, sizeof name, "v.deepstack.%d.fc1", e->deep);
        if (!reference_find(&e->r, -1, name, "weight")) break;
    }
    reference_eye_size(e, side, side);
}

static inline void reference_eye_close(ReferenceEye *e) {
    free(e->x);
    for (int l = 0; l < e->deep; l++) free(e->after[l]);
    reference_close(&e->r);
}

static inline double reference_eye_act(const ReferenceEye *e, double x, bool projector) {
    if (!projector && reference_flag(&e->r, "clip.use_silu")) return x / (1 + exp(-x));
    const bool usual = e->gemma4 && !e->last; /* without a key */
    if (!projector && !usual && !reference_flag(&e->r, "clip.use_gelu"))
        return x / (1 + exp(-1.702 * x));
    bool tanh_too = e->gemma4 || (!projector && reference_eye_is(e, "qwen3vl_merger")) ||
                    reference_eye_is(e, "gemma3") || reference_eye_is(e, "idefics3");
    if (!e->last && !tanh_too) return x * (1 + erf(x / sqrt(2))) / 2;
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/* in (n) shifted to mean 0, unless rms, and scaled to variance 1. */
static inline void reference_eye_even(double *in, int n, bool rms, double eps) {
    double mean = 0, square = 0;
    for (int i = 0; i < n && !rms; i++) mean += in[i] / n;
    for (int i = 0; i < n; i++) square += (in[i] - mean) * (in[i] - mean) / n;
    for (int i = 0; i < n; i++) in[i] = (in[i] - mean) / sqrt(square + eps);
}

/* y (dim) = the norm of that name of x; just x where the file has none. */
static inline void reference_eye_norm(const ReferenceEye *e, const char *name, const double *x,
                                      double *y) {
    const double *gain = reference_weight(&e->r, -1, name),
                 *bias = reference_bias(&e->r, -1, name);
    memmove(y, x, sizeof *y * (size_t)e->dim);
    if (!gain) return;
    reference_eye_even(y, e->dim, e->rms,
                       reference_number(&e->r, "attention.layer_norm_epsilon", 0));
    for (int i = 0; i < e->dim; i++) y[i] = y[i] * gain[i] + (bias ? bias[i] : 0);
}

/* Qwen 3 VL: to each patch the value of a square of rows, linear between them, whose corners are those of the picture. */
static inline void reference_eye_stretch(ReferenceEye *e, const double *place) {
    const int side =
        reference_size(&e->r, "image_size", 0, 0) / reference_size(&e->r, "patch_size", 0, 0);
    for (int i = 0; i < e->n; i++)
        for (int row = 0; row < side; row++)
            for (int column = 0; column < side; column++) {
                const double y = (double)(i / e->across) * (side - 1) / fmax(e->down - 1, 1),
                             x = (double)(i % e->across) * (side - 1) / fmax(e->across - 1, 1),
                             near = fmax(1 - fabs(y - row), 0) * fmax(1 - fabs(x - column), 0);
                for (int d = 0; d < e->dim; d++)
                    e->x[i * e->dim + d] += near * place[(row * side + column) * e->dim + d];
            }
}

/* The patches of pixels (height, width, 3), a convolution whose steps are as long as its windows. */
static inline void reference_eye_embed(ReferenceEye *e, const unsigned char *rgb) {
    const Reference *r = &e->r;
    const double *w = reference_weight(r, -1, "v.patch_embd"),
                 *bias = reference_bias(r, -1, "v.patch_embd"),
                 *place = reference_weight(r, -1, "v.position_embd");
    const double *own =
        e->own ? reference_values(r, gguf_find_tensor(r->gguf, "v.class_embd")) : NULL;
    const GgufTensor *frame = gguf_find_tensor(r->gguf, "v.patch_embd.weight.1");
    const double *later = frame ? reference_values(r, frame) : NULL;
    int p = e->patch, first = e->own && !e->behind ? 1 : 0;
    for (int i = 0; i < e->n - e->own; i++)
        for (int d = 0; d < e->dim; d++) {
            double sum = bias ? bias[d] : 0;
            for (int c = 0; c < 3; c++)
                for (int y = 0; y < p; y++)
                    for (int x = 0; x < p; x++) {
                        int at = (i / e->across * p + y) * e->wide + i % e->across * p + x,
                            tap = ((d * 3 + c) * p + y) * p + x;
                        double colour = rgb[3 * at + c] / 255.0;
                        colour = (colour - reference_number_of(r, "image_mean", c, 0)) /
                                 reference_number_of(r, "image_std", c, 1);
                        if (e->gemma4) colour = 2 * colour - 1;
                        sum += (w[tap] + (later ? later[tap] : 0)) * colour;
                    }
            e->x[(i + first) * e->dim + d] = sum;
        }
    for (int d = 0; d < e->dim && own; d++)
        e->x[(e->behind ? e->n - 1 : 0) * e->dim + d] = own[d];
    if (reference_eye_is(e, "qwen3vl_merger")) {
        reference_eye_stretch(e, place);
        return;
    }
    for (int i = 0; i < e->n * e->dim && place && !e->gemma4; i++) e->x[i] += place[i];
    for (int i = 0; i < e->n * e->dim && e->gemma4; i++) { /* 840 columns, then lines */
        const int patch = i / e->dim, column = patch % e->across, line = patch / e->across;
        e->x[i] +=
            place[column * e->dim + i % e->dim] + place[(840 + line) * e->dim + i % e->dim];
    }
    for (int i = 0; i < e->n; i++)
        reference_eye_norm(e, "v.pre_ln", e->x + i * e->dim, e->x + i * e->dim);
}

static inline const char *reference_eye_name(int l, const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "v.blk.%d.%s", l, what);
    return name;
}

/* x (n) between the bounds of a map, if the file has them: Gemma 4's small models. */
static inline void reference_eye_hold(const ReferenceEye *e, const char *map, const char *what,
                                      double *x, int n) {
    char name[96];
    const GgufTensor *end[2];
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s.%s_%s", map, what, i ? "max" : "min");
        end[i] = gguf_find_tensor(e->r.gguf, name);
    }
    for (int i = 0; i < n && end[0] && end[1]; i++)
        x[i] = fmin(fmax(x[i], *reference_values(&e->r, end[0])),
                    *reference_values(&e->r, end[1]));
}

/* out (width) = a map, with its bounds, of in (n), which is changed. */
static inline void reference_eye_linear(const ReferenceEye *e, const char *map, int n,
                                        double *in, int width, double *out) {
    char name[96];
    snprintf(name, sizeof name, "%s", map);
    reference_eye_hold(e, name, "input", in, n);
    reference_rows(&e->r, -1, name, 0, width, in, out);
    reference_eye_hold(e, name, "output", out, width);
}

/* y (n, width) = a map of the norm of all rows. */
static inline double *reference_eye_map(const ReferenceEye *e, int l, const char *norm,
                                        const char *what, int width) {
    double *y = malloc(sizeof *y * (size_t)(e->n * width)), in[REFERENCE_WIDEST];
    for (int i = 0; i < e->n; i++) {
        reference_eye_norm(e, reference_eye_name(l, norm), e->x + i * e->dim, in);
        reference_eye_linear(e, reference_eye_name(l, what), e->dim, in, width, y + i * width);
    }
    return y;
}

/* Queries, keys or values of all rows: a map of their own, or that third of one map. */
static inline double *reference_eye_third(const ReferenceEye *e, int l, int third) {
    static const char *const names[] = {"attn_q", "attn_k", "attn_v"};
    if (!reference_find(&e->r, -1, reference_eye_name(l, "attn_qkv"), "weight"))
        return reference_eye_map(e, l, "ln1", names[third], e->dim);
    double *y = malloc(sizeof *y * (size_t)(e->n * e->dim)), in[REFERENCE_WIDEST];
    for (int i = 0; i < e->n; i++) {
        reference_eye_norm(e, reference_eye_name(l, "ln1"), e->x + i * e->dim, in);
        reference_rows(&e->r, -1, reference_eye_name(l, "attn_qkv"), third * e->dim, e->dim, in,
                       y + i * e->dim);
    }
    return y;
}

/* InternViT multiplies what a branch adds by a vector. */
static inline void reference_eye_scale(const ReferenceEye *e, int l, const char *what,
                                       double *out) {
    const double *gain = reference_weight(&e->r, -1, reference_eye_name(l, what));
    for (int d = 0; d < e->dim && gain; d++) out[d] *= gain[d];
}

/* Rows of patches (n, dim), rotated: half of a head's angles are those of the patch's row, half
 * of its column.  Qwen rotates number d with d + hd / 2, Pixtral and Llama 4 neighbours.  Llama 4
 * has columns first, counts from 1, and does not rotate the class row. */
static inline void reference_eye_turn(const ReferenceEye *e, double *rows) {
    const int hd = e->dim / e->heads, quarter = hd / 4;
    double base = 10000;
    gguf_float(gguf_find(e->r.gguf, "clip.rope.freq_base"), 0, &base);
    for (int i = 0; i < e->n - e->own && (e->qwen || e->pixtral || e->llama4); i++)
        for (int at = i * e->dim; at < (i + 1) * e->dim; at += hd)
            for (int d = 0; d < hd / 2; d++) {
                const bool column = (d >= quarter) != e->llama4;
                const double step = e->pixtral ? (4.0 * (d % quarter) + 2 * column) / hd
                                               : 2.0 * (d % quarter) / (hd / 2),
                             angle = ((column ? i % e->across : i / e->across) + e->llama4) *
                                     pow(base, -step);
                double *a = rows + at + (e->qwen ? d : 2 * d), *b = a + (e->qwen ? hd / 2 : 1),
                       turned = *a * cos(angle) - *b * sin(angle);
                *b = *a * sin(angle) + *b * cos(angle), *a = turned;
            }
}

/* Gemma 4: rows of heads, each scaled to variance 1, times a gain; then halves of a head turn, the
 * first by the column, in pairs of its number d and d + hd / 4, the second by the line. */
static inline void reference_eye_heads(const ReferenceEye *e, int l, const char *norm,
                                       double *rows) {
    const int hd = e->dim / e->heads, quarter = hd / 4;
    const double *gain = norm ? reference_weight(&e->r, -1, reference_eye_name(l, norm)) : NULL;
    double base = 100;
    gguf_float(gguf_find(e->r.gguf, "clip.rope.freq_base"), 0, &base);
    for (int i = 0; i < e->n; i++)
        for (double *head = rows + i * e->dim; head < rows + (i + 1) * e->dim; head += hd) {
            reference_eye_even(head, hd, true,
                               reference_number(&e->r, "attention.layer_norm_epsilon", 0));
            for (int d = 0; d < hd && gain; d++) head[d] *= gain[d];
            for (int d = 0; d < 2 * quarter && gain; d++) {
                const bool line = d >= quarter;
                const double angle = (line ? i / e->across : i % e->across) *
                                     pow(base, -2.0 * (d % quarter) / (2 * quarter));
                double *a = head + line * 2 * quarter + d % quarter, *b = a + quarter,
                       turned = *a * cos(angle) - *b * sin(angle);
                *b = *a * sin(angle) + *b * cos(angle), *a = turned;
            }
        }
}

/* Does patch i see patch j in block l?  In most blocks of Qwen 2.5 only within squares of 112
 * pixels. */
static inline bool reference_eye_sees(const ReferenceEye *e, int l, int i, int j) {
    const int every = reference_size(&e->r, "n_wa_pattern", 0, 0),
              window = 112 / (2 * e->patch) * 2;
    if (!every || (l + 1) % every == 0) return true;
    return i / e->across / window == j / e->across / window &&
           i % e->across / window == j % e->across / window;
}

static inline void reference_eye_attend(ReferenceEye *e, int l) {
    double *q = reference_eye_third(e, l, 0), *k = reference_eye_third(e, l, 1),
           *v = reference_eye_third(e, l, 2), mixed[REFERENCE_WIDEST], out[REFERENCE_WIDEST],
           weight[2048];
    int hd = e->dim / e->heads;
    reference_eye_turn(e, q), reference_eye_turn(e, k);
    if (e->gemma4) {
        reference_eye_heads(e, l, "attn_q_norm", q),
            reference_eye_heads(e, l, "attn_k_norm", k);
        reference_eye_heads(e, l, NULL, v);
    }
    for (int i = 0; i < e->n; i++) {
        memset(mixed, 0, sizeof mixed);
        for (int at = 0; at < e->dim; at += hd) {
            double sum = 0, most = -INFINITY;
            for (int j = 0; j < e->n; j++) {
                weight[j] = 0;
                for (int d = at; d < at + hd; d++)
                    weight[j] +=
                        q[i * e->dim + d] * k[j * e->dim + d] / (e->gemma4 ? 1 : sqrt(hd));
                if (!reference_eye_sees(e, l, i, j)) weight[j] = -INFINITY;
                most = fmax(most, weight[j]);
            }
            for (int j = 0; j < e->n; j++) sum += weight[j] = exp(weight[j] - most);
            for (int j = 0; j < e->n; j++)
                for (int d = at; d < at + hd; d++)
                    mixed[d] += weight[j] / sum * v[j * e->dim + d];
        }
        reference_eye_linear(e, reference_eye_name(l, "attn_out"), e->dim, mixed, e->dim, out);
        reference_eye_norm(e, reference_eye_name(l, "attn_post_norm"), out, out);
        reference_eye_scale(e, l, "ls1", out);
        for (int d = 0; d < e->dim; d++) e->x[i * e->dim + d] += out[d];
    }
    free(q), free(k), free(v);
}

static inline void reference_eye_network(ReferenceEye *e, int l) {
    const GgufTensor *t = reference_find(&e->r, -1, reference_eye_name(l, "ffn_up"), "weight");
    bool old = t->shape[1] == (size_t)e->hidden; /* it stands last */
    double *h = reference_eye_map(e, l, "ln2", old ? "ffn_down" : "ffn_up", e->hidden),
           out[REFERENCE_WIDEST];
    bool gated = reference_find(&e->r, -1, reference_eye_name(l, "ffn_gate"), "weight");
    double *gate = gated ? reference_eye_map(e, l, "ln2", "ffn_gate", e->hidden) : NULL;
    for (int i = 0; i < e->n * e->hidden; i++)
        h[i] = gated ? h[i] * reference_eye_act(e, gate[i], false)
                     : reference_eye_act(e, h[i], false);
    for (int i = 0; i < e->n; i++) {
        reference_eye_linear(e, reference_eye_name(l, old ? "ffn_up" : "ffn_down"), e->hidden,
                             h + i * e->hidden, e->dim, out);
        reference_eye_norm(e, reference_eye_name(l, "ffn_post_norm"), out, out);
        reference_eye_scale(e, l, "ls2", out);
        for (int d = 0; d < e->dim; d++) e->x[i * e->dim + d] += out[d];
    }
    free(h), free(gate);
}

/* LLaVA: in (dim) through two maps. */
static inline void reference_eye_two(const ReferenceEye *e, const char *first,
                                     const char *second, const double *in, int width,
                                     double *out) {
    int mid = (int)reference_find(&e->r, -1, first, "weight")->shape[0];
    double h[REFERENCE_WIDEST];
    reference_rows(&e->r, -1, first, 0, mid, in, h);
    for (int k = 0; k < mid; k++) h[k] = reference_eye_act(e, h[k], true);
    reference_rows(&e->r, -1, second, 0, width, h, out);
}

/* Gemma 3: in (dim), the mean of a square of rows, through a norm and a matrix (dim, width). */
static inline void reference_eye_gemma(const ReferenceEye *e, double *in, int width,
                                       double *out) {
    const double *gain = reference_weight(&e->r, -1, "mm.soft_emb_norm"),
                 *w = reference_weight(&e->r, -1, "mm.input_projection");
    reference_eye_even(in, e->dim, true,
                       reference_number(&e->r, "attention.layer_norm_epsilon", 0));
    for (int k = 0; k < width; k++) {
        out[k] = 0;
        for (int d = 0; d < e->dim; d++) out[k] += in[d] * gain[d] * w[d * width + k];
    }
}

/* Gemma 4: in (dim), the mean of a square of rows, times sqrt(dim), shifted and scaled, through a
 * norm without gains and a matrix. */
static inline void reference_eye_gemma4(const ReferenceEye *e, double *in, int width,
                                        double *out) {
    const GgufTensor *shift = gguf_find_tensor(e->r.gguf, "v.std_bias"),
                     *scale = gguf_find_tensor(e->r.gguf, "v.std_scale");
    for (int i = 0; i < e->dim; i++)
        in[i] = (in[i] * sqrt(e->dim) - (shift ? reference_values(&e->r, shift)[i] : 0)) *
                (scale ? reference_values(&e->r, scale)[i] : 1);
    reference_eye_even(in, e->dim, true,
                       reference_number(&e->r, "attention.layer_norm_epsilon", 0));
    reference_eye_linear(e, "mm.input_projection", e->dim, in, width, out);
}

/* Llama 4: in (n) through three maps, and GELUs behind the first two. */
static inline void reference_eye_llama(const ReferenceEye *e, const double *in, int width,
                                       double *out) {
    const int second = (int)reference_find(&e->r, -1, "mm.model.mlp.2", "weight")->shape[0];
    double h[REFERENCE_WIDEST];
    reference_eye_two(e, "mm.model.mlp.1", "mm.model.mlp.2", in, second, h);
    for (int k = 0; k < second; k++) h[k] = reference_eye_act(e, h[k], true);
    reference_rows(&e->r, -1, "mm.model.fc", 0, width, h, out);
}

static inline void reference_eye_intern(const ReferenceEye *e, double *in, int n, int width,
                                        double *out) {
    const double *gain = reference_weight(&e->r, -1, "mm.model.mlp.0"),
                 *bias = reference_bias(&e->r, -1, "mm.model.mlp.0");
    reference_eye_even(in, n, false, 1e-5);
    for (int i = 0; i < n; i++) in[i] = in[i] * gain[i] + bias[i];
    reference_eye_two(e, "mm.model.mlp.1", "mm.model.mlp.3", in, width, out);
}

/* Row i of what the projector reads, of squares of `merge` by `merge` patches: number k is
 * that of dimension k % dim of the patch k / dim of the square, or of the mean of all. */
static inline int reference_eye_square(const ReferenceEye *e, const double *rows, int merge,
                                       int i, double *in) {
    bool mean = e->gemma4 || reference_eye_is(e, "gemma3");
    int across = e->across, top = i / (across / merge) * merge,
        left = i % (across / merge) * merge, n = mean ? e->dim : e->dim * merge * merge;
    memset(in, 0, sizeof *in * (size_t)n);
    for (int y = 0; y < merge; y++)
        for (int x = 0; x < merge; x++)
            for (int d = 0; d < e->dim; d++) {
                double value = rows[((top + y) * across + left + x) * e->dim + d];
                if (mean)
                    in[d] += value / (merge * merge);
                else if (e->pixtral)
                    in[(d * merge + y) * merge + x] = value;
                else
                    in[(y * merge + x) * e->dim + d] = value;
            }
    return n;
}

/* Pixtral: squares of patches through a map of their own, and a row behind each line of them but the last. */
static inline double *reference_eye_pixtral(const ReferenceEye *e, double *in, int merge, int i,
                                            int width, double *out) {
    double mid[REFERENCE_WIDEST];
    const int across = e->across / merge, down = e->down / merge;
    if (merge > 1) reference_rows(&e->r, -1, "mm.patch_merger", 0, e->dim, in, mid);
    reference_eye_two(e, "mm.1", "mm.2", merge > 1 ? mid : in, width, out);
    const GgufTensor *end = gguf_find_tensor(e->r.gguf, "v.token_embd.img_break");
    if (!end || i % across < across - 1 || i / across == down - 1) return out;
    memcpy(out + width, reference_values(&e->r, end), sizeof *out * (size_t)width);
    return out + width;
}

/* Qwen 3 VL: a square of rows behind block l through a norm and two maps. */
static inline void reference_eye_deep(const ReferenceEye *e, int l, int merge, int i, int width,
                                      double *out) {
    char name[3][64];
    double in[REFERENCE_WIDEST];
    static const char *const ends[] = {"norm", "fc1", "fc2"};
    for (int k = 0; k < 3; k++)
        snprintf(name[k], sizeof name[k], "v.deepstack.%d.%s", l, ends[k]);
    const double *gain = reference_weight(&e->r, -1, name[0]),
                 *bias = reference_bias(&e->r, -1, name[0]);
    const int n = reference_eye_square(e, e->after[l], merge, i, in);
    reference_eye_even(in, n, false,
                       reference_number(&e->r, "attention.layer_norm_epsilon", 0));
    for (int k = 0; k < n; k++) in[k] = in[k] * gain[k] + bias[k];
    reference_eye_two(e, name[1], name[2], in, width, out);
}

/* out (rows, all): the rows of patches behind the projector, and behind it those of others. */
static inline void reference_eye_rows(ReferenceEye *e, const unsigned char *rgb, int all,
                                      double *out) {
    double in[REFERENCE_WIDEST];
    const int width = all / (1 + e->deep);
    bool plain = reference_eye_is(e, "mlp");
    int usual = plain || e->pixtral             ? 1
                : e->gemma4                     ? 3
                : reference_eye_is(e, "gemma3") ? 4
                                                : 2,
        merge = reference_size(
            &e->r, e->qwen || e->pixtral ? "spatial_merge_size" : "projector.scale_factor", 0,
            usual),
        first = e->own && (plain || !e->behind), patches = e->n - e->own,
        lines = e->down / merge;
    reference_eye_embed(e, rgb);
    for (int l = 0; l < e->blocks; l++) {
        const size_t bytes = sizeof *e->x * (size_t)(e->n * e->dim);
        reference_eye_attend(e, l), reference_eye_network(e, l);
        if (l < e->deep) e->after[l] = memcpy(malloc(bytes), e->x, bytes);
    }
    for (int i = 0; i < e->n && (!plain || e->last) && !e->gemma4; i++)
        reference_eye_norm(e, e->pixtral ? "mm.input_norm" : "v.post_ln", e->x + i * e->dim,
                           e->x + i * e->dim);
    for (int i = 0; i < patches / (merge * merge); i++, out += width) {
        /* llama.cpp has Llama 4's rows column by column */
        int at = e->llama4 && e->last ? i % lines * (e->across / merge) + i / lines : i,
            n = reference_eye_square(e, e->x + first * e->dim, merge, at, in);
        if (e->llama4) reference_eye_llama(e, in, width, out);
        if (e->gemma4) reference_eye_gemma4(e, in, width, out);
        if (plain) reference_eye_two(e, "mm.0", "mm.2", in, width, out);
        if (reference_eye_is(e, "gemma3")) reference_eye_gemma(e, in, width, out);
        if (reference_eye_is(e, "idefics3"))
            reference_rows(&e->r, -1, "mm.model.fc", 0, width, in, out);
        if (e->qwen) reference_eye_two(e, "mm.0", "mm.2", in, width, out);
        for (int l = 0; l < e->deep; l++, out += width)
            reference_eye_deep(e, l, merge, i, width, out + width);
        if (e->pixtral) out = reference_eye_pixtral(e, in, merge, i, width, out);
        if (reference_eye_is(e, "internvl")) reference_eye_intern(e, in, n, width, out);
    }
}

#endif
