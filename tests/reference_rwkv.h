/* reference_rwkv.h - RWKV 6 and 7 of one token after the other, in double precision: both mixes of a block. */
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

/* out (dim) = map of x, through a low rank with an activation. */
static inline void reference_low_named(const Reference *r, int l, const char *down,
                                       const char *up, const char *bias, double (*bend)(double),
                                       const double *x, int dim, double *out) {
    double few[REFERENCE_WIDEST];
    int rank = (int)reference_find(r, l, down, "weight")->shape[0];
    const double *add = reference_weight(r, l, bias);
    reference_rows(r, l, down, 0, rank, x, few);
    for (int i = 0; i < rank && bend; i++) few[i] = bend(few[i]);
    reference_rows(r, l, up, 0, dim, few, out);
    for (int i = 0; i < dim && add; i++) out[i] += add[i];
}

static inline void reference_low(const Reference *r, int l, char what, double (*bend)(double),
                                 const double *x, int dim, double *out) {
    char down[40], up[40], bias[40];
    snprintf(down, sizeof down, "time_mix_%c1", what),
        snprintf(up, sizeof up, "time_mix_%c2", what);
    snprintf(bias, sizeof bias, "time_mix_%c0", what);
    reference_low_named(r, l, down, up, bias, bend, x, dim, out);
}

/* What a token says. */
typedef struct ReferenceSaid {
    double r[512], w[512], k[512], v[512], a[512], g[512], kk[512];
} ReferenceSaid;

static inline void reference_say(const Reference *r, int l, int dim, int d, int t,
                                 const double *x, const double *before, ReferenceSaid *s) {
    const double *mu = reference_weight(r, l, "time_mix_lerp_fused");
    double in[6][512], open[512];
    const bool gate = reference_weight(r, l, "time_mix_g1");
    for (int j = 0; j < (gate ? 6 : 5); j++)
        reference_shift(mu + j * dim, x, before, dim, in[j]);
    for (int i = 0; i < dim; i++) s->g[i] = 1;
    reference_rows(r, l, "time_mix_receptance", 0, dim, in[0], s->r);
    reference_rows(r, l, "time_mix_key", 0, dim, in[2], s->k);
    reference_rows(r, l, "time_mix_value", 0, dim, in[3], s->v);
    reference_low(r, l, 'w', tanh, in[1], dim, s->w);
    reference_low(r, l, 'a', NULL, in[4], dim, s->a);
    if (gate) reference_low(r, l, 'g', reference_sigmoid, in[5], dim, s->g);
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

/* y (d) to mean 0 and size 1, as far as it is not all the same; then gain and bias of head `at`. */
static inline void reference_norm_head(const Reference *r, int l, int d, int at, double *y) {
    double mean = 0, square = 0;
    if (!reference_weight(r, l, "time_mix_ln")) return;
    for (int i = 0; i < d; i++) mean += y[i] / d;
    for (int i = 0; i < d; i++) square += (y[i] - mean) * (y[i] - mean) / d;
    for (int i = 0; i < d; i++)
        y[i] = (y[i] - mean) / sqrt(square + 64e-5) *
                   reference_weight(r, l, "time_mix_ln")[at + i] +
               reference_bias(r, l, "time_mix_ln")[at + i];
}

/* y (d) of a head from `at` on; S = S diag(w) + S (-kk) (kk a)^T + v k^T, then S r, normed. */
static inline void reference_rwkv_head(const Reference *r, int l, double *state, int d, int at,
                                       const ReferenceSaid *s, double *y) {
    double own = 0;
    for (int i = 0; i < d; i++) {
        double said = 0, *row = state + i * d;
        for (int j = 0; j < d; j++) said -= row[j] * s->kk[at + j];
        for (int j = 0; j < d; j++)
            row[j] = row[j] * s->w[at + j] + s->v[at + i] * s->k[at + j] +
                     said * s->kk[at + j] * s->a[at + j];
        y[i] = 0;
        for (int j = 0; j < d; j++) y[i] += row[j] * s->r[at + j];
    }
    reference_norm_head(r, l, d, at, y);
    for (int i = at; i < at + d; i++)
        own += s->r[i] * s->k[i] * reference_weight(r, l, "time_mix_r_k")[i];
    for (int i = 0; i < d; i++) y[i] = (y[i] + own * s->v[at + i]) * s->g[at + i];
}

/* ------------------------------------------------------------------ RWKV 6 */

/* mu of w, k, v, r or g: a row of one tensor, or a tensor of its own. */
static inline const double *reference_mu(const Reference *r, int l, int j, int dim) {
    const double *all = reference_weight(r, l, "time_mix_lerp_fused");
    char name[40];
    snprintf(name, sizeof name, "time_mix_lerp_%c", "wkvrg"[j]);
    return all ? all + j * dim : reference_weight(r, l, name);
}

/* How much of the row before is mixed into each of the five depends on the token. */
static inline void reference_shift_by_token(const Reference *r, int l, int dim, const double *x,
                                            const double *before, double in[5][512]) {
    double first[512], few[REFERENCE_WIDEST], mu[512];
    int all = (int)reference_find(r, l, "time_mix_w1", "weight")->shape[0], rank = all / 5;
    reference_shift(reference_weight(r, l, "time_mix_lerp_x"), x, before, dim, first);
    reference_rows(r, l, "time_mix_w1", 0, all, first, few);
    for (int i = 0; i < all; i++) few[i] = tanh(few[i]);
    for (int j = 0; j < 5; j++) {
        reference_rows(r, l, "time_mix_w2", j * dim, dim, few + j * rank, mu);
        for (int i = 0; i < dim; i++) mu[i] += reference_mu(r, l, j, dim)[i];
        reference_shift(mu, x, before, dim, in[j]);
    }
}

/* Without a bonus it is QRWKV 6: keys fade in as the memory fades out, and few heads have them. */
static inline void reference_say_6(const Reference *r, int l, int dim, int d, const double *x,
                                   const double *before, ReferenceSaid *s) {
    const int kv = (int)reference_find(r, l, "time_mix_key", "weight")->shape[0],
              group = dim / kv;
    const bool bonus = reference_weight(r, l, "time_mix_first");
    double in[5][512], k[512], v[512];
    reference_shift_by_token(r, l, dim, x, before, in);
    reference_rows(r, l, "time_mix_receptance", 0, dim, in[3], s->r);
    reference_rows(r, l, "time_mix_key", 0, kv, in[1], k);
    reference_rows(r, l, "time_mix_value", 0, kv, in[2], v);
    reference_rows(r, l, "time_mix_gate", 0, dim, in[4], s->g);
    reference_low_named(r, l, "time_mix_decay_w1", "time_mix_decay_w2", "time_mix_decay", tanh,
                        in[0], dim, s->w);
    for (int i = 0; i < dim; i++) {
        const int from = i / d / group * d + i % d;
        s->w[i] = exp(-exp(s->w[i])), s->v[i] = v[from];
        s->k[i] = k[from] * (bonus ? 1 : 1 - s->w[i]);
        s->g[i] = reference_sigmoid(s->g[i]) * (bonus ? s->g[i] : 1);
    }
}

/* y (d) of a head from `at` on: S r and the token's own pair times the bonus, then S diag(w) + v k^T; or the
 * second first, and no bonus. */
static inline void reference_rwkv6_head(const Reference *r, int l, double *state, int d, int at,
                                        const ReferenceSaid *s, double *y) {
    const double *bonus = reference_weight(r, l, "time_mix_first");
    for (int i = 0; i < d; i++) {
        double *row = state + i * d;
        y[i] = 0;
        for (int j = 0; j < d; j++) {
            const double new = s->v[at + i] * s->k[at + j], was = row[j];
            row[j] = was * s->w[at + j] + new;
            y[i] += s->r[at + j] * (bonus ? was + bonus[at + j] * new : row[j] / sqrt(d));
        }
    }
    reference_norm_head(r, l, d, at, y);
    for (int i = 0; i < d; i++) y[i] *= s->g[at + i];
}

/* ------------------------------------------------------------------ a block */

/* Rows x (n, dim) through the time mix of block l. */
static inline void reference_time_mix(const Reference *r, int l, int n, double *x) {
    int dim = reference_size(r, "embedding_length", l, 0),
        d = reference_size(r, "wkv.head_size", l, 0);
    const bool six = reference_weight(r, l, "time_mix_gate");
    double *normed = malloc((size_t)n * (size_t)dim * sizeof *normed),
           *state = calloc((size_t)dim, (size_t)d * sizeof *state), y[512], out[512];
    ReferenceSaid said;
    for (int t = 0; t < n; t++)
        reference_norm(r, l, "attn_norm", x + t * dim, dim, normed + t * dim);
    for (int t = 0; t < n; t++) {
        const double *in = normed + t * dim, *before = t ? in - dim : NULL;
        if (six)
            reference_say_6(r, l, dim, d, in, before, &said);
        else
            reference_say(r, l, dim, d, t, in, before, &said);
        for (int h = 0; h < dim / d; h++)
            (six ? reference_rwkv6_head : reference_rwkv_head)(r, l, state + h * d * d, d,
                                                               h * d, &said, y + h * d);
        reference_rows(r, l, "time_mix_output", 0, dim, y, out);
        for (int i = 0; i < dim; i++) x[t * dim + i] += out[i];
    }
    free(normed), free(state);
}

/* The same through its channel mix; RWKV 6 has a gate. */
static inline void reference_channel_mix(const Reference *r, int l, int n, double *x) {
    int dim = reference_size(r, "embedding_length", l, 0),
        hidden = reference_size(r, "feed_forward_length", l, 0);
    const double *gate_mu = reference_weight(r, l, "channel_mix_lerp_r");
    double *normed = malloc((size_t)n * (size_t)dim * sizeof *normed), y[512], out[512],
           gate[512], wide[REFERENCE_WIDEST];
    for (int t = 0; t < n; t++)
        reference_norm(r, l, "attn_norm_2", x + t * dim, dim, normed + t * dim);
    for (int t = 0; t < n; t++) {
        const double *in = normed + t * dim, *before = t ? in - dim : NULL;
        reference_shift(reference_weight(r, l, "channel_mix_lerp_k"), in, before, dim, y);
        reference_rows(r, l, "channel_mix_key", 0, hidden, y, wide);
        for (int i = 0; i < hidden; i++) wide[i] = wide[i] > 0 ? wide[i] * wide[i] : 0;
        reference_rows(r, l, "channel_mix_value", 0, dim, wide, out);
        if (gate_mu) reference_shift(gate_mu, in, before, dim, y);
        if (gate_mu) reference_rows(r, l, "channel_mix_receptance", 0, dim, y, gate);
        for (int i = 0; i < dim; i++)
            x[t * dim + i] += out[i] * (gate_mu ? reference_sigmoid(gate[i]) : 1);
    }
    free(normed);
}

/* Rows x (n, dim) through block l; some blocks halve what they return. */
static inline void reference_rwkv(const Reference *r, int l, int n, double *x) {
    int dim = reference_size(r, "embedding_length", l, 0),
        halve = reference_size(r, "rescale_every_n_layers", l, 0);
    reference_time_mix(r, l, n, x);
    if (reference_weight(r, l, "channel_mix_key")) reference_channel_mix(r, l, n, x);
    for (int i = 0; i < n * dim && halve && (l + 1) % halve == 0; i++) x[i] /= 2;
}

#endif
