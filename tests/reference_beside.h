/* reference_beside.h - what a block has beside its mixer and its network, in double precision: parts of a
 * stream, a short way beside attention, inputs of layers. */
#ifndef STRATA_REFERENCE_BESIDE_H
#define STRATA_REFERENCE_BESIDE_H

#include "reference_attention.h"

/* ------------------------------------------------------------------ inputs of layers */

static inline int reference_inputs(const Reference *r) {
    return reference_weight(r, -1, "per_layer_proj_norm")
               ? (int)reference_find(r, -1, "per_layer_proj_norm", "weight")->shape[0]
               : 0;
}

/* The inputs (layers, width) of a token for all layers; x0 (dim). */
static inline void reference_make_inputs(const Reference *r, int32_t token, const double *x0,
                                         int dim, double *inputs) {
    int width = reference_inputs(r), all = width * reference_size(r, "block_count", 0, 0);
    const double *row = reference_weight(r, -1, "per_layer_token_embd") + token * all;
    if (!width) return;
    reference_rows(r, -1, "per_layer_model_proj", 0, all, x0, inputs);
    for (int i = 0; i < all; i++) inputs[i] /= sqrt(dim);
    for (int i = 0; i < all; i += width)
        reference_norm(r, -1, "per_layer_proj_norm", inputs + i, width, inputs + i);
    for (int i = 0; i < all; i++) inputs[i] = (inputs[i] + sqrt(width) * row[i]) / sqrt(2);
}

/* y (dim) = what a block makes of its input, given its stream. */
static inline void reference_use_input(const Reference *r, const ReferenceLayer *s,
                                       const double *input, const double *x, double *y) {
    double gate[REFERENCE_WIDEST];
    int width = reference_inputs(r);
    reference_rows(r, s->l, "inp_gate", 0, width, x, gate);
    for (int i = 0; i < width; i++)
        gate[i] = 0.5 * gate[i] *
                  (1 + tanh(sqrt(2 / M_PI) * (gate[i] + 0.044715 * pow(gate[i], 3)))) *
                  input[i];
    reference_rows(r, s->l, "proj", 0, s->dim, gate, y);
    reference_norm(r, s->l, "post_norm", y, s->dim, y);
}

/* ------------------------------------------------------------------ a short way */

/* x (dim) = (x + h + norm(right(left h))) / sqrt(2) */
static inline void reference_laurel(const Reference *r, const ReferenceLayer *s,
                                    const double *h, double *x) {
    double few[REFERENCE_WIDEST], back[REFERENCE_WIDEST];
    const GgufTensor *left = reference_find(r, s->l, "laurel_l", "weight");
    if (!left) return;
    reference_rows(r, s->l, "laurel_l", 0, (int)left->shape[0], h, few);
    reference_rows(r, s->l, "laurel_r", 0, s->dim, few, back);
    reference_norm(r, s->l, "laurel_post_norm", back, s->dim, back);
    for (int i = 0; i < s->dim; i++) x[i] = (x[i] + h[i] + back[i]) / sqrt(2);
}

/* ------------------------------------------------------------------ parts of a stream */

static inline int reference_streams(const Reference *r) {
    const GgufTensor *t = reference_find(r, -1, "altup_proj", "weight");
    return t ? (int)t->shape[0] + 1 : 1;
}

/* c (rows) = a map of what kind of token x (dim) is */
static inline void reference_coefficients(const Reference *r, const ReferenceLayer *s,
                                          const double *x, const char *map, int rows,
                                          double *c) {
    double h[REFERENCE_WIDEST], kind[8];
    int streams = reference_streams(r);
    reference_norm(r, s->l, "altup_router_norm", x, s->dim, h);
    reference_rows(r, s->l, "altup_router", 0, streams, h, kind);
    for (int i = 0; i < streams; i++) kind[i] = tanh(kind[i] / s->dim);
    reference_rows(r, s->l, map, 0, rows, kind, c);
}

/* x (streams, dim) as predicted. */
static inline void reference_foretell(const Reference *r, const ReferenceLayer *s, double *x) {
    int n = reference_streams(r), dim = s->dim;
    double c[64], *before = malloc(sizeof *before * (size_t)(n * dim));
    reference_coefficients(r, s, x, "altup_predict_coef", n * n, c);
    memcpy(before, x, sizeof *x * (size_t)(n * dim));
    for (int o = 0; o < n; o++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < dim; k++) x[o * dim + k] += c[o * n + i] * before[i * dim + k];
    free(before);
}

/* x (streams, dim), whose first part the block computed from `predicted` (dim), is corrected by it. */
static inline void reference_correct(const Reference *r, const ReferenceLayer *s,
                                     const double *predicted, double *x) {
    double c[8], computed[REFERENCE_WIDEST];
    int n = reference_streams(r), dim = s->dim;
    reference_coefficients(r, s, x, "altup_correct_coef", n, c);
    memcpy(computed, x, sizeof *x * (size_t)dim);
    memcpy(x, predicted, sizeof *x * (size_t)dim);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < dim; k++)
            x[i * dim + k] += (c[i] + 1) * (computed[k] - predicted[k]);
}

/* A block's end: its input goes to x, or to all parts of the stream but the first; then its scale. */
static inline void reference_end_block(const Reference *r, const ReferenceLayer *s,
                                       const double *input, double *x) {
    const double *scale = reference_weight(r, s->l, "altup_correct_scale"),
                 *end = reference_weight(r, s->l, "layer_output_scale");
    double read[REFERENCE_WIDEST], y[REFERENCE_WIDEST];
    int streams = reference_streams(r);
    for (int i = 0; i < s->dim; i++) read[i] = x[i] * (scale ? scale[i] : 1);
    if (reference_inputs(r)) {
        reference_use_input(r, s, input, read, y);
        for (int p = streams > 1; p < streams; p++)
            for (int i = 0; i < s->dim; i++) x[p * s->dim + i] += y[i];
    }
    for (int i = 0; i < s->dim && end; i++) x[i] *= *end;
}

static inline double reference_length(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* y = map number `part` of a stack, of x, as long as `as`. */
static inline void reference_rescaled(const Reference *r, const char *name, int part, int dim,
                                      const double *x, const double *as, double *y) {
    reference_rows(r, -1, name, part * dim, dim, x, y);
    double ratio = reference_length(as, dim) / reference_length(y, dim);
    for (int i = 0; i < dim; i++) y[i] *= ratio;
}

/* From the first part of x (streams, dim) to all; and from all to the first, which the head reads. */
static inline void reference_spread(const Reference *r, int dim, double *x) {
    for (int p = 1; p < reference_streams(r); p++)
        reference_rescaled(r, "altup_proj", p - 1, dim, x, x, x + p * dim);
}

static inline void reference_gather(const Reference *r, int dim, double *x) {
    double y[REFERENCE_WIDEST], sum[REFERENCE_WIDEST];
    int n = reference_streams(r);
    memcpy(sum, x, sizeof *x * (size_t)dim);
    for (int p = 1; p < n; p++) {
        reference_rescaled(r, "altup_unembd_proj", p - 1, dim, x + p * dim, x, y);
        for (int i = 0; i < dim; i++) sum[i] += y[i];
    }
    for (int i = 0; i < dim; i++) x[i] = sum[i] / n;
}

#endif
