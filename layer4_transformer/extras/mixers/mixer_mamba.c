/* mixer_mamba.c - Mamba 1.  See mixer_mamba.h. */
#include "mamba_rows.h"
#include "block_extras.h"

enum { CHANNELS = 16, ROWS = 4 }; /* per task */

/* Mamba 2 stores the channels of a head in strips, Mamba 1 one after the other. */
size_t mamba_state(const Mamba *m) {
    size_t channels = m->x.w.data ? m->inner : m->heads * strip_rows(m->inner / m->heads);
    return short_conv_state(&m->conv) + channels * m->n;
}

void mamba_sizes_include(MambaSizes *s, const Mamba *m) {
    if (!m->in.w.data) return;
    s->dim = max_size(s->dim, m->in.w.shape[1]);
    s->in = max_size(s->in, m->in.w.shape[0]);
    s->channels = max_size(s->channels, m->conv.channels);
    s->inner = max_size(s->inner, m->inner);
    if (!m->x.w.data) return;
    s->projected = max_size(s->projected, m->x.w.shape[0]);
    s->rank = max_size(s->rank, m->dt.w.shape[1]);
}

void mamba_run_init(MambaRun *run, size_t rows, const MambaSizes *s, Arena *arena) {
    size_t f = sizeof(float);
    run->in = arena_take(arena, rows * s->in, f);
    run->x = arena_take(arena, rows * s->channels, f);
    run->projected = arena_take(arena, rows * s->projected, f);
    run->rank = arena_take(arena, rows * s->rank, f);
    run->dt = arena_take(arena, rows * s->inner, f);
    run->y = arena_take(arena, rows * s->inner, f);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows, max_size(s->dim, s->inner)), 1);
}

/* ------------------------------------------------------------------ dt, B and C */

static size_t rank_of(const Mamba *m) { return m->dt.w.shape[1]; }
static size_t projected_of(const Mamba *m) { return rank_of(m) + 2 * m->n; }

/* A PoolTask: norm B, C and the input of dt, which goes to run->rank. */
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

/* ------------------------------------------------------------------ state update */

/* Up to CHANNELS channels of one token: dt = softplus(dt), S <- exp(dt A) S + dt x B, then y =
 * (S . C + D x) silu(z). */
static void mixer_mamba_step(const Mamba *m, const float *before, float *after, const float *b,
                             float *dt, const float *x, const float *z, float *y, size_t first,
                             size_t count) {
    float decay[CHANNELS * MAMBA_STATE], in[CHANNELS], gate[CHANNELS];
    size_t n = m->n, at = first * n;
    softplus(dt + first, dt + first, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < n; j++) decay[i * n + j] = dt[first + i] * m->a[at + i * n + j];
        in[i] = dt[first + i] * x[first + i];
    }
    vector_exp(decay, decay, 0, count * n);
    recurrence_step(&(Recurrence){.after = after,
                                  .before = before,
                                  .decay = decay,
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
static void mixer_mamba_some_channels(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Mamba *m = t->m;
    size_t conv = short_conv_state(&m->conv), inner = m->inner;
    (void)worker;
    for (size_t i = 0; i < t->batch->count; i++) {
        StateStep state =
            state_step(t->kv, t->layer, t->batch, i, conv + begin * m->n, (end - begin) * m->n);
        const float *b = t->run->projected + i * projected_of(m) + rank_of(m);
        for (size_t c = begin; c < end; c += CHANNELS)
            mixer_mamba_step(m, state.before + (c - begin) * m->n,
                             state.after + (c - begin) * m->n, b, t->run->dt + i * inner,
                             t->run->x + i * inner, t->run->in + i * 2 * inner + inner,
                             t->run->y + i * inner, c, min_size(CHANNELS, end - c));
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
    pool_for(pool, m->inner, CHANNELS, mixer_mamba_some_channels, &rows);
    linear(pool, &m->out, run->y, n, out, run->scratch);
}

/* ------------------------------------------------------------------ as a part of a block */

void *mamba_open(const BlockPlan *plan) {
    MambaSizes sizes = {0};
    MambaRun spare, *run = arena_take(plan->arena, 1, sizeof *run);
    for (const Block *b = plan->blocks; b < plan->blocks + plan->count; b++)
        if (b->extras) mamba_sizes_include(&sizes, &b->extras->mamba);
    mamba_run_init(run ? run : &spare, plan->rows, &sizes, plan->arena);
    return run;
}

static void mamba_rows(const Block *b, const Pass *p, const float *in, float *out) {
    mamba_forward(p->run->pool, &b->extras->mamba, block_memory(p->run, mamba_open), p->kv,
                  p->layer, p->batch, in, out);
}

static size_t mamba_numbers(const Block *b) { return mamba_state(&b->extras->mamba); }

const PartKind mamba_part = {"mamba", mamba_rows, mamba_numbers, NULL, mamba_open};
