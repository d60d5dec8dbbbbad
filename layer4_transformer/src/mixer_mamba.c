/* mixer_mamba.c - Mamba 1.  See mixer_mamba.h. */
#include "mamba_rows.h"

#include <string.h>

enum { CHANNELS = 16, ROWS = 4 }; /* taken at a time by a thread */

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t mamba_state(const Mamba *m) { return short_conv_state(&m->conv) + m->inner * m->n; }

void mamba_sizes_include(MambaSizes *s, const Mamba *m) {
    if (!m->in.w.data) return;
    s->dim = larger(s->dim, m->in.w.shape[1]);
    s->in = larger(s->in, m->in.w.shape[0]);
    s->channels = larger(s->channels, m->conv.channels);
    s->inner = larger(s->inner, m->inner);
    if (!m->x.w.data) return;
    s->projected = larger(s->projected, m->x.w.shape[0]);
    s->rank = larger(s->rank, m->dt.w.shape[1]);
}

void mamba_run_init(MambaRun *run, size_t rows, const MambaSizes *s, Arena *arena) {
    size_t f = sizeof(float);
    run->in = arena_take(arena, rows * s->in, f);
    run->x = arena_take(arena, rows * s->channels, f);
    run->projected = arena_take(arena, rows * s->projected, f);
    run->rank = arena_take(arena, rows * s->rank, f);
    run->dt = arena_take(arena, rows * s->inner, f);
    run->y = arena_take(arena, rows * s->inner, f);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows, larger(s->dim, s->inner)), 1);
}

/* ------------------------------------------------------------------ dt, B and C of each token */

static size_t rank_of(const Mamba *m) { return m->dt.w.shape[1]; }
static size_t projected_of(const Mamba *m) { return rank_of(m) + 2 * m->n; }

/* A PoolTask: norms, where there are some; what dt is made from stands by itself then. */
static void split_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Mamba *m = t->m;
    size_t rank = rank_of(m);
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *dt = t->run->projected + i * projected_of(m), *b = dt + rank, *c = b + m->n;
        norm_apply(&m->dt_norm, t->run->rank + i * rank, dt, rank);
        norm_apply(&m->b_norm, b, b, m->n);
        norm_apply(&m->c_norm, c, c, m->n);
    }
}

/* ------------------------------------------------------------------ the state moves on */

/* Up to CHANNELS channels of one token: dt becomes positive, S <- exp(dt A) S + dt x B,
 * y = S . C + D x, gated by z. */
static void step(const Mamba *m, const float *before, float *after, const float *b, float *dt,
                 const float *x, const float *z, float *y, size_t first, size_t count) {
    float decay[CHANNELS * MAMBA_STATE], in[CHANNELS], gate[CHANNELS];
    size_t n = m->n, at = first * n;
    softplus(dt + first, dt + first, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < n; j++) decay[i * n + j] = dt[first + i] * m->a[at + i * n + j];
        in[i] = dt[first + i] * x[first + i];
    }
    vector_exp(decay, decay, 0, count * n);
    recurrence_step(&(Recurrence){.after = after + at,
                                  .before = before + at,
                                  .decay = decay,
                                  .decay_step = n,
                                  .in = in,
                                  .b = b,
                                  .c = b + n,
                                  .out = y + first,
                                  .rows = count,
                                  .n = n});
    silu(gate, z + first, count);
    for (size_t i = 0; i < count; i++)
        y[first + i] = (y[first + i] + m->d[first + i] * x[first + i]) * gate[i];
}

/* A PoolTask: all tokens for some channels, so that their state stays in cache. */
static void some_channels(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Mamba *m = t->m;
    size_t conv = short_conv_state(&m->conv), inner = m->inner;
    (void)worker;
    for (size_t i = 0; i < t->batch->count; i++) {
        size_t sequence = (size_t)t->batch->sequence[i],
               position = (size_t)t->batch->position[i];
        float *after = kv_state(t->kv, t->layer, sequence, position + 1) + conv;
        const float *before = kv_state(t->kv, t->layer, sequence, position),
                    *b = t->run->projected + i * projected_of(m) + rank_of(m);
        if (!before) memset(after + begin * m->n, 0, (end - begin) * m->n * sizeof *after);
        before = before ? before + conv : after;
        for (size_t c = begin; c < end; c += CHANNELS)
            step(m, before, after, b, t->run->dt + i * inner, t->run->x + i * inner,
                 t->run->in + i * 2 * inner + inner, t->run->y + i * inner, c,
                 end - c < CHANNELS ? end - c : CHANNELS);
    }
}

void mamba_forward(Pool *pool, const Mamba *m, MambaRun *run, const KvCache *kv, size_t layer,
                   const Batch *batch, const float *x, float *out) {
    size_t n = batch->count;
    Rows rows = {m, run, kv, layer, batch};
    linear(pool, &m->in, x, n, run->in, run->scratch);
    short_conv_rows(pool, &m->conv, kv, layer, batch, run->in, 2 * m->inner, run->x);
    linear(pool, &m->x, run->x, n, run->projected, run->scratch);
    pool_for(pool, n, ROWS, split_rows, &rows);
    linear(pool, &m->dt, run->rank, n, run->dt, run->scratch);
    pool_for(pool, m->inner, CHANNELS, some_channels, &rows);
    linear(pool, &m->out, run->y, n, out, run->scratch);
}
