/* reference_rwkv.h - RWKV 7 of one token after the other, in double precision: both mixes of a block. */
#ifndef STRATA_REFERENCE_RWKV_H
#define STRATA_REFERENCE_RWKV_H

#include "reference_mamba.h"

static inline bool reference_is_rwkv(const Reference *r, int l) {
    return reference_weight(r, l, "time_mix_receptance");
}

static inline double reference_sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* Values of the first layer: what later layers mix in. */
static double reference_first_values[256 * 256];

/* out (dim) = x, moved towards the row before it; before NULL: 0 */
static inline void reference_shift(const double *mu, const double *x, const double *before,
                                   int dim, double *out) {
    for (int i = 0; i < dim; i++) out[i] = x[i] + ((before ? before[i] : 0) - x[i]) * mu[i];
}

/* out (dim) = map `what` of x, through a low rank with an activation. */
static inline void reference_low(const Reference *r, int l, char what, double (*bend)(double),
                                 const double *x, int dim, double *out) {
    double few[REFERENCE_WIDEST];
    char down[40], up[40], bias[40];
    snprintf(down, sizeof down, "time_mix_%c1", what),
        snprintf(up, sizeof up, "time_mix_%c2", what);
    snprintf(bias, sizeof bias, "time_mix_%c0", what);
    int rank = (int)reference_find(r, l, down, "weight")->shape[0];
    const double *add = reference_weight(r, l, bias);
    reference_rows(r, l, down, 0, rank, x, few);
    for (int i = 0; i < rank && bend; i++) few[i] = bend(few[i]);
    reference_rows(r, l, up, 0, dim, few, out);
    for (int i = 0; i < dim && add; i++) out[i] += add[i];
}

/* What a token says. */
typedef struct ReferenceSaid {
    double r[512], w[512], k[512], v[512], a[512], g[512], kk[512];
} ReferenceSaid;

static inline void reference_say(const Reference *r, int l, int dim, int d, int t,
                                 const double *x, const double *before, ReferenceSaid *s) {
    const double *mu = reference_weight(r, l, "time_mix_lerp_fused");
    double in[6][512], open[512];
    for (int j = 0; j < 6; j++) reference_shift(mu + j * dim, x, before, dim, in[j]);
    reference_rows(r, l, "time_mix_receptance", 0, dim, in[0], s->r);
    reference_rows(r, l, "time_mix_key", 0, dim, in[2], s->k);
    reference_rows(r, l, "time_mix_value", 0, dim, in[3], s->v);
    reference_low(r, l, 'w', tanh, in[1], dim, s->w);
    reference_low(r, l, 'a', NULL, in[4], dim, s->a);
    reference_low(r, l, 'g', reference_sigmoid, in[5], dim, s->g);
    if (l > 0) reference_low(r, l, 'v', NULL, in[3], dim, open);
    for (int i = 0; i < dim; i++) {
        double *first = reference_first_values + t * dim + i;
        s->w[i] = exp(-0.606531 * reference_sigmoid(s->w[i]));
        s->a[i] = reference_sigmoid(s->a[i]);
        s->kk[i] = s->k[i] * reference_weight(r, l, "time_mix_k_k")[i];
        s->k[i] *= 1 + (s->a[i] - 1) * reference_weight(r, l, "time_mix_k_a")[i];
        if (l == 0) *first = s->v[i];
        if (l > 0) s->v[i] += (*first - s->v[i]) * reference_sigmoid(open[i]);
    }
    for (int h = 0; h < dim / d; h++) {
        double length = 0;
        for (int i = h * d; i < (h + 1) * d; i++) length += s->kk[i] * s->kk[i];
        for (int i = h * d; i < (h + 1) * d; i++) s->kk[i] /= fmax(sqrt(length), 1e-12);
    }
}

/* y (d) of a head from `at` on; S = S diag(w) + S (-kk) (kk a)^T + v k^T, then S r, normed. */
static inline void reference_rwkv_head(const Reference *r, int l, double *state, int d, int at,
                                       const ReferenceSaid *s, double *y) {
    double mean = 0, square = 0, own = 0;
    for (int i = 0; i < d; i++) {
        double said = 0, *row = state + i * d;
        for (int j = 0; j < d; j++) said -= row[j] * s->kk[at + j];
        for (int j = 0; j < d; j++)
            row[j] = row[j] * s->w[at + j] + s->v[at + i] * s->k[at + j] +
                     said * s->kk[at + j] * s->a[at + j];
        y[i] = 0;
        for (int j = 0; j < d; j++) y[i] += row[j] * s->r[at + j];
        mean += y[i] / d;
    }
    for (int i = 0; i < d; i++) square += (y[i] - mean) * (y[i] - mean) / d;
    for (int i = at; i < at + d; i++)
        own += s->r[i] * s->k[i] * reference_weight(r, l, "time_mix_r_k")[i];
    for (int i = 0; i < d; i++)
        y[i] = ((y[i] - mean) / sqrt(square + 64e-5) *
                    reference_weight(r, l, "time_mix_ln")[at + i] +
                reference_bias(r, l, "time_mix_ln")[at + i] + own * s->v[at + i]) *
               s->g[at + i];
}

/* Rows x (n, dim) through block l. */
static inline void reference_rwkv(const Reference *r, int l, int n, double *x) {
    int dim = reference_size(r, "embedding_length", l, 0),
        d = reference_size(r, "wkv.head_size", l, 0),
        hidden = reference_size(r, "feed_forward_length", l, 0);
    size_t row = sizeof(double) * (size_t)dim;
    double *normed = malloc((size_t)n * row),
           *state = calloc((size_t)dim, (size_t)d * sizeof *state), y[512], out[512],
           wide[REFERENCE_WIDEST];
    ReferenceSaid said;
    for (int t = 0; t < n; t++)
        reference_norm(r, l, "attn_norm", x + t * dim, dim, normed + t * dim);
    for (int t = 0; t < n; t++) {
        const double *in = normed + t * dim;
        reference_say(r, l, dim, d, t, in, t ? in - dim : NULL, &said);
        for (int h = 0; h < dim / d; h++)
            reference_rwkv_head(r, l, state + h * d * d, d, h * d, &said, y + h * d);
        reference_rows(r, l, "time_mix_output", 0, dim, y, out);
        for (int i = 0; i < dim; i++) x[t * dim + i] += out[i];
    }
    for (int t = 0; t < n; t++)
        reference_norm(r, l, "attn_norm_2", x + t * dim, dim, normed + t * dim);
    for (int t = 0; t < n; t++) {
        const double *in = normed + t * dim, *mu = reference_weight(r, l, "channel_mix_lerp_k");
        reference_shift(mu, in, t ? in - dim : NULL, dim, y);
        reference_rows(r, l, "channel_mix_key", 0, hidden, y, wide);
        for (int i = 0; i < hidden; i++) wide[i] = wide[i] > 0 ? wide[i] * wide[i] : 0;
        reference_rows(r, l, "channel_mix_value", 0, dim, wide, out);
        for (int i = 0; i < dim; i++) x[t * dim + i] += out[i];
    }
    free(normed), free(state);
}

#endif
