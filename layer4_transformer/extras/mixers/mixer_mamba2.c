/* mixer_mamba2.c - Mamba 2.  See mixer_mamba.h.
 *
 *     a row of `in`     | z: inner | x: inner | B: groups n | C: groups n | dt: heads |
 *     convolved                    | x        | B           | C           | */
#include "mamba_rows.h"
#include "block_extras.h"

enum { CHANNELS = 64, ROWS = 4 }; /* at a time */

/* ------------------------------------------------------------------ state update */

/* One token of one head: S <- exp(dt A) S + dt x B, y = S . C + D x, with dt = softplus(raw +
 * bias) and one decay for the head. */
static void mixer_mamba2_step_head(const Mamba *m, StateStep state, float raw, const float *x,
                                   float *y, size_t head) {
    size_t width = m->inner / m->heads, first = head * width,
           group = head / (m->heads / m->groups);
    const float *b = x + m->inner + group * m->n, *c = b + m->groups * m->n;
    float decay[MAMBA_STATE], in[CHANNELS], dt = raw + m->dt_bias[head], rate;
    softplus(&dt, &dt, 1);
    rate = dt * m->a[head];
    vector_exp(&rate, &rate, 0, 1);
    for (size_t j = 0; j < m->n; j++) decay[j] = rate;
    for (size_t i = 0; i < width; i += CHANNELS) {
        size_t count = min_size(CHANNELS, width - i);
        const float *mine = x + first + i;
        float *out = y + first + i;
        for (size_t k = 0; k < count; k++) in[k] = dt * mine[k];
        recurrence_strips(&(StripRecurrence){.after = state.after + i * m->n,
                                             .before = state.before + i * m->n,
                                             .decay = decay,
                                             .in = in,
                                             .b = b,
                                             .c = c,
                                             .out = out,
                                             .rows = count,
                                             .n = m->n});
        for (size_t k = 0; k < count; k++) out[k] += m->d[head] * mine[k];
    }
}

/* A PoolTask: all tokens for some heads, one head after the other, so that its state stays in
 * cache. */
static void mixer_mamba2_some_heads(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Mamba *m = t->m;
    size_t conv = short_conv_state(&m->conv), width = m->in.w.shape[0],
           numbers = strip_rows(m->inner / m->heads) * m->n;
    (void)worker;
    for (size_t h = begin; h < end; h++)
        for (size_t i = 0; i < t->batch->count; i++) {
            const float *dt = t->run->in + (i + 1) * width - m->heads;
            StateStep state =
                state_step(t->kv, t->layer, t->batch, i, conv + h * numbers, numbers);
            mixer_mamba2_step_head(m, state, dt[h], t->run->x + i * m->conv.channels,
                                   t->run->y + i * m->inner, h);
        }
}

/* ------------------------------------------------------------------ gate and norm */

/* A PoolTask: y = norm(y * silu(z)). */
static void mixer_mamba2_gate_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    size_t inner = t->m->inner;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *y = t->run->y + i * inner, *z = t->run->in + i * t->m->in.w.shape[0];
        silu(z, z, inner);
        for (size_t k = 0; k < inner; k++) y[k] *= z[k];
        norm_apply(&t->m->norm, y, y, inner);
    }
}

void mamba2_forward(Pool *pool, const Mamba *m, MambaRun *run, const KvCache *kv, size_t layer,
                    const Batch *batch, const float *x, float *out) {
    size_t n = batch->count;
    Rows rows = {m, run, kv, layer, batch};
    linear(pool, &m->in, x, n, run->in, run->scratch);
    short_conv_rows(pool, &m->conv, kv, layer, batch, run->in + m->inner, m->in.w.shape[0],
                    run->x);
    pool_for(pool, m->heads, 1, mixer_mamba2_some_heads, &rows);
    pool_for(pool, n, ROWS, mixer_mamba2_gate_rows, &rows);
    linear(pool, &m->out, run->y, n, out, run->scratch);
}

/* ------------------------------------------------------------------ as a part of a block */

static void mamba2_rows(const Block *b, const Pass *p, const float *in, float *out) {
    mamba2_forward(p->run->pool, &b->extras->mamba, block_memory(p->run, mamba_open), p->kv,
                   p->layer, p->batch, in, out);
}

static size_t mamba2_numbers(const Block *b) { return mamba_state(&b->extras->mamba); }

const PartKind mamba2_part = {"mamba2", mamba2_rows, mamba2_numbers, NULL, mamba_open};
