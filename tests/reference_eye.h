/* reference_eye.h - what a picture becomes on its way into a language model, in double precision, as LLaVA 1.5's
 * authors have it; or, last, as llama.cpp does. */
#ifndef STRATA_REFERENCE_EYE_H
#define STRATA_REFERENCE_EYE_H

#include "reference_attention.h"

/* All rows of a picture in blocks that see all of them. */
typedef struct ReferenceEye {
    Reference r;
    /* the class row stands last, one block fewer is run of old files, too, and so on */
    bool last;
    int image, patch, n, dim, heads, hidden, blocks;
    double *x; /* (n, dim); row 0, or the last one, is no patch's */
} ReferenceEye;

static inline bool reference_flag(const Reference *r, const char *key) {
    const GgufPair *pair = gguf_find(r->gguf, key);
    return pair && *pair->data;
}

static inline void reference_eye_open(ReferenceEye *e, const Gguf *gguf, bool last) {
    *e = (ReferenceEye){.last = last};
    reference_load(&e->r, gguf);
    snprintf(e->r.arch, sizeof e->r.arch, "clip.vision");
    e->r.family = "layer";
    e->image = reference_size(&e->r, "image_size", 0, 0);
    e->patch = reference_size(&e->r, "patch_size", 0, 0);
    e->n = e->image / e->patch * (e->image / e->patch) + 1;
    e->dim = reference_size(&e->r, "embedding_length", 0, 0);
    e->heads = reference_size(&e->r, "attention.head_count", 0, 0);
    e->hidden = reference_size(&e->r, "feed_forward_length", 0, 0);
    e->blocks = reference_size(&e->r, "block_count", 0, 0);
    if (last || !reference_flag(&e->r, "clip.has_llava_projector")) e->blocks--;
    e->blocks = reference_size(&e->r, "feature_layer", 0, e->blocks);
    e->x = calloc((size_t)(e->n * e->dim), sizeof *e->x);
}

static inline void reference_eye_close(ReferenceEye *e) {
    free(e->x);
    reference_close(&e->r);
}

static inline double reference_eye_act(const ReferenceEye *e, double x, bool projector) {
    if (!projector && reference_flag(&e->r, "clip.use_silu")) return x / (1 + exp(-x));
    if (!projector && !reference_flag(&e->r, "clip.use_gelu")) return x / (1 + exp(-1.702 * x));
    if (!e->last) return x * (1 + erf(x / sqrt(2))) / 2;
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/* The patches of pixels (image, image, 3), a convolution whose steps are as long as its windows. */
static inline void reference_eye_embed(ReferenceEye *e, const unsigned char *rgb) {
    const Reference *r = &e->r;
    const double *w = reference_weight(r, -1, "v.patch_embd"),
                 *bias = reference_bias(r, -1, "v.patch_embd"),
                 *place = reference_weight(r, -1, "v.position_embd");
    const double *own = reference_values(r, gguf_find_tensor(r->gguf, "v.class_embd"));
    int p = e->patch, side = e->image / p, first = e->last ? 0 : 1;
    for (int i = 0; i < e->n - 1; i++)
        for (int d = 0; d < e->dim; d++) {
            double sum = bias ? bias[d] : 0;
            for (int c = 0; c < 3; c++)
                for (int y = 0; y < p; y++)
                    for (int x = 0; x < p; x++) {
                        int at = (i / side * p + y) * e->image + i % side * p + x;
                        double colour = rgb[3 * at + c] / 255.0;
                        sum += w[((d * 3 + c) * p + y) * p + x] *
                               (colour - reference_number_of(r, "image_mean", c, 0)) /
                               reference_number_of(r, "image_std", c, 1);
                    }
            e->x[(i + first) * e->dim + d] = sum;
        }
    for (int d = 0; d < e->dim; d++) e->x[(e->last ? e->n - 1 : 0) * e->dim + d] = own[d];
    for (int i = 0; i < e->n * e->dim; i++) e->x[i] += place[i];
    for (int i = 0; i < e->n; i++)
        reference_norm(r, -1, "v.pre_ln", e->x + i * e->dim, e->dim, e->x + i * e->dim);
}

static inline const char *reference_eye_name(int l, const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "v.blk.%d.%s", l, what);
    return name;
}

/* y (n, width) = a map of the norm of all rows. */
static inline double *reference_eye_map(const ReferenceEye *e, int l, const char *norm,
                                        const char *what, int width) {
    double *y = malloc(sizeof *y * (size_t)(e->n * width)), in[REFERENCE_WIDEST];
    for (int i = 0; i < e->n; i++) {
        reference_norm(&e->r, -1, reference_eye_name(l, norm), e->x + i * e->dim, e->dim, in);
        reference_rows(&e->r, -1, reference_eye_name(l, what), 0, width, in, y + i * width);
    }
    return y;
}

static inline void reference_eye_attend(ReferenceEye *e, int l) {
    double *q = reference_eye_map(e, l, "ln1", "attn_q", e->dim),
           *k = reference_eye_map(e, l, "ln1", "attn_k", e->dim),
           *v = reference_eye_map(e, l, "ln1", "attn_v", e->dim), mixed[REFERENCE_WIDEST],
           out[REFERENCE_WIDEST], weight[2048];
    int hd = e->dim / e->heads;
    for (int i = 0; i < e->n; i++) {
        memset(mixed, 0, sizeof mixed);
        for (int at = 0; at < e->dim; at += hd) {
            double sum = 0, most = -INFINITY;
            for (int j = 0; j < e->n; j++) {
                weight[j] = 0;
                for (int d = at; d < at + hd; d++)
                    weight[j] += q[i * e->dim + d] * k[j * e->dim + d] / sqrt(hd);
                most = fmax(most, weight[j]);
            }
            for (int j = 0; j < e->n; j++) sum += weight[j] = exp(weight[j] - most);
            for (int j = 0; j < e->n; j++)
                for (int d = at; d < at + hd; d++)
                    mixed[d] += weight[j] / sum * v[j * e->dim + d];
        }
        reference_rows(&e->r, -1, reference_eye_name(l, "attn_out"), 0, e->dim, mixed, out);
        for (int d = 0; d < e->dim; d++) e->x[i * e->dim + d] += out[d];
    }
    free(q), free(k), free(v);
}

static inline void reference_eye_network(ReferenceEye *e, int l) {
    const GgufTensor *t = reference_find(&e->r, -1, reference_eye_name(l, "ffn_up"), "weight");
    bool old = t->shape[1] == (size_t)e->hidden; /* it stands last */
    double *h = reference_eye_map(e, l, "ln2", old ? "ffn_down" : "ffn_up", e->hidden),
           out[REFERENCE_WIDEST];
    for (int i = 0; i < e->n * e->hidden; i++) h[i] = reference_eye_act(e, h[i], false);
    for (int i = 0; i < e->n; i++) {
        reference_rows(&e->r, -1, reference_eye_name(l, old ? "ffn_up" : "ffn_down"), 0, e->dim,
                       h + i * e->hidden, out);
        for (int d = 0; d < e->dim; d++) e->x[i * e->dim + d] += out[d];
    }
    free(h);
}

/* out (n - 1, width): rows 1, 2, ... behind the projector. */
static inline void reference_eye_rows(ReferenceEye *e, const unsigned char *rgb, int width,
                                      double *out) {
    int mid = (int)reference_find(&e->r, -1, "mm.0", "weight")->shape[0];
    double h[REFERENCE_WIDEST], in[REFERENCE_WIDEST];
    reference_eye_embed(e, rgb);
    for (int l = 0; l < e->blocks; l++) reference_eye_attend(e, l), reference_eye_network(e, l);
    for (int i = 1; i < e->n; i++) {
        memcpy(in, e->x + i * e->dim, sizeof *in * (size_t)e->dim);
        if (e->last) reference_norm(&e->r, -1, "v.post_ln", in, e->dim, in);
        reference_rows(&e->r, -1, "mm.0", 0, mid, in, h);
        for (int k = 0; k < mid; k++) h[k] = reference_eye_act(e, h[k], true);
        reference_rows(&e->r, -1, "mm.2", 0, width, h, out + (i - 1) * width);
    }
}

#endif
