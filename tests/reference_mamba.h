/* reference_mamba.h - state-space layers and short convolutions of one token after the other, in double precision. */
#ifndef STRATA_REFERENCE_MAMBA_H
#define STRATA_REFERENCE_MAMBA_H

#include "reference_attention.h"

/* What a layer remembers. */
typedef struct ReferenceMemory {
    double *k, *v;  /* (tokens, ...) */
    double *inputs; /* (tokens, channels) of the convolution */
    double *state;  /* (inner, n) */
    double *index;  /* (tokens, width) keys of an indexer */
} ReferenceMemory;

typedef struct ReferenceSsm {
    int inner, n, taps, rank, groups, channels;
    bool heads; /* Mamba 2 */
} ReferenceSsm;

static inline ReferenceSsm reference_ssm(const Reference *r, int l) {
    ReferenceSsm z = {.inner = reference_size(r, "ssm.inner_size", l, 0),
                      .n = reference_size(r, "ssm.state_size", l, 0),
                      .taps = reference_size(r, "ssm.conv_kernel", l, 0),
                      .rank = reference_size(r, "ssm.time_step_rank", l, 0),
                      .groups = reference_size(r, "ssm.group_count", l, 1)};
    z.heads = !reference_weight(r, l, "ssm_x");
    z.channels = z.inner + (z.heads ? 2 * z.groups * z.n : 0);
    return z;
}

static inline double reference_silu(double x) { return x / (1 + exp(-x)); }
static inline double reference_softplus(double x) { return x > 30 ? x : log1p(exp(x)); }

/* out (channels) = the convolution of a token's inputs with those before it */
static inline void reference_convolve(const double *w, const double *bias, int taps,
                                      int channels, int position, const double *inputs,
                                      double *out) {
    for (int c = 0; c < channels; c++) {
        out[c] = bias ? bias[c] : 0;
        for (int j = 0; j < taps; j++) {
            int t = position - (taps - 1) + j;
            if (t >= 0) out[c] += w[c * taps + j] * inputs[t * channels + c];
        }
    }
}

/* One channel: S <- exp(dt a) S + dt x B; returns S . C + d x. */
static inline double reference_channel(double *state, int n, const double *a, bool one_rate,
                                       double dt, double x, const double *b, const double *c,
                                       double d) {
    double y = d * x;
    for (int j = 0; j < n; j++) {
        state[j] = exp(dt * a[one_rate ? 0 : j]) * state[j] + dt * x * b[j];
        y += state[j] * c[j];
    }
    return y;
}

/* What dt, B or C is made from: with a norm of its own, or without gains where a key says so. */
static inline void reference_part(const Reference *r, int l, const char *norm, double *x,
                                  int n) {
    if (reference_number(r, "ssm.dt_b_c_rms", 0) != 0) reference_normalize(r, "rms", x, n, x);
    reference_norm(r, l, norm, x, n, x);
}

/* y (inner) of Mamba 1 from x behind the convolution. */
static inline void reference_mamba1(const Reference *r, int l, const ReferenceSsm *z,
                                    double *state, const double *x, double *y) {
    double dbc[REFERENCE_WIDEST], dt[REFERENCE_WIDEST], *b = dbc + z->rank, *c = b + z->n;
    const double *a = reference_bare(r, l, "ssm_a"), *d = reference_bare(r, l, "ssm_d");
    reference_rows(r, l, "ssm_x", 0, z->rank + 2 * z->n, x, dbc);
    reference_part(r, l, "ssm_dt_norm", dbc, z->rank);
    reference_part(r, l, "ssm_b_norm", b, z->n), reference_part(r, l, "ssm_c_norm", c, z->n);
    reference_rows(r, l, "ssm_dt", 0, z->inner, dbc, dt);
    for (int i = 0; i < z->inner; i++)
        y[i] = reference_channel(state + i * z->n, z->n, a + i * z->n, false,
                                 reference_softplus(dt[i]), x[i], b, c, d[i]);
}

/* The same of Mamba 2, from x, B, C behind the convolution. */
static inline void reference_mamba2(const Reference *r, int l, const ReferenceSsm *z,
                                    double *state, const double *x, const double *dt,
                                    double *y) {
    const double *a = reference_bare(r, l, "ssm_a"), *d = reference_bare(r, l, "ssm_d"),
                 *bias = reference_bias(r, l, "ssm_dt");
    for (int i = 0; i < z->inner; i++) {
        int head = i / (z->inner / z->rank), group = head / (z->rank / z->groups);
        const double *b = x + z->inner + group * z->n, *c = b + z->groups * z->n;
        y[i] =
            reference_channel(state + i * z->n, z->n, a + head, true,
                              reference_softplus(dt[head] + bias[head]), x[i], b, c, d[head]);
    }
}

/* Each group of y normed by itself. */
static inline void reference_group_norm(const Reference *r, int l, const ReferenceSsm *z,
                                        double *y) {
    const double *gain = reference_weight(r, l, "ssm_norm");
    int wide = z->inner / z->groups;
    for (int g = 0; g < z->groups && gain; g++)
        reference_normalize(r, "rms", y + g * wide, wide, y + g * wide);
    for (int i = 0; i < z->inner && gain; i++) y[i] *= gain[i];
}

/* y (dim) = the state-space mixer of a token; the memory moves on. */
static inline void reference_mix_states(const Reference *r, const ReferenceLayer *s,
                                        int position, const double *in, ReferenceMemory *m,
                                        double *y) {
    ReferenceSsm z = reference_ssm(r, s->l);
    double row[REFERENCE_WIDEST], x[REFERENCE_WIDEST], out[REFERENCE_WIDEST];
    int width = z.heads ? z.inner + z.channels + z.rank : 2 * z.inner;
    const double *gate = row + (z.heads ? 0 : z.inner);
    reference_rows(r, s->l, "ssm_in", 0, width, in, row);
    memcpy(m->inputs + position * z.channels, row + (z.heads ? z.inner : 0),
           sizeof *x * (size_t)z.channels);
    reference_convolve(reference_weight(r, s->l, "ssm_conv1d"),
                       reference_bias(r, s->l, "ssm_conv1d"), z.taps, z.channels, position,
                       m->inputs, x);
    for (int i = 0; i < z.channels; i++) x[i] = reference_silu(x[i]);
    if (z.heads)
        reference_mamba2(r, s->l, &z, m->state, x, row + width - z.rank, out);
    else
        reference_mamba1(r, s->l, &z, m->state, x, out);
    for (int i = 0; i < z.inner; i++) out[i] *= reference_silu(gate[i]);
    if (z.heads) reference_group_norm(r, s->l, &z, out);
    reference_rows(r, s->l, "ssm_out", 0, s->dim, out, y);
}

/* y (dim) = C * conv(B * u), with maps before and behind. */
static inline void reference_short_conv(const Reference *r, const ReferenceLayer *s,
                                        int position, const double *in, ReferenceMemory *m,
                                        double *y) {
    double bcu[REFERENCE_WIDEST], out[REFERENCE_WIDEST];
    int dim = s->dim, taps = reference_size(r, "shortconv.l_cache", s->l, 0);
    reference_rows(r, s->l, "shortconv.in_proj", 0, 3 * dim, in, bcu);
    for (int i = 0; i < dim; i++) m->inputs[position * dim + i] = bcu[i] * bcu[2 * dim + i];
    reference_convolve(reference_weight(r, s->l, "shortconv.conv"), NULL, taps, dim, position,
                       m->inputs, out);
    for (int i = 0; i < dim; i++) out[i] *= bcu[dim + i];
    reference_rows(r, s->l, "shortconv.out_proj", 0, dim, out, y);
}

#endif
