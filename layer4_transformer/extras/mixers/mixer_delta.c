/* mixer_delta.c - see mixer_delta.h. */
#include "mixer_delta.h"
#include "block_extras.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4 }; /* rows per task */

/* State rows that go through all tokens together: 32 KB with keys of 128 numbers. */
enum { TILE = 4 * STRIP };

size_t delta_state(const DeltaNet *m) {
    return short_conv_state(&m->q_conv) + short_conv_state(&m->k_conv) +
           short_conv_state(&m->v_conv) + m->heads * strip_rows(m->d) * m->d;
}

void delta_sizes_include(DeltaSizes *s, const DeltaNet *m) {
    if (!m->out.w.data) return;
    s->dim = max_size(s->dim, m->out.w.shape[0]);
    s->k = max_size(s->k, m->keys * m->d);
    s->v = max_size(s->v, m->heads * m->d);
    s->heads = max_size(s->heads, m->heads);
    s->decay = max_size(s->decay, m->per_channel ? m->heads * m->d : m->heads);
    if (m->decay_a.w.data) s->rank = max_size(s->rank, m->decay_a.w.shape[0]);
    if (m->gate_a.w.data) s->rank = max_size(s->rank, m->gate_a.w.shape[0]);
}

void delta_run_init(DeltaRun *run, size_t rows, const DeltaSizes *s, Arena *arena) {
    size_t f = sizeof(float), widest = max_size(max_size(s->dim, s->v), s->rank);
    run->in = arena_take(arena, rows * max_size(s->k, s->v), f);
    run->q = arena_take(arena, rows * s->k, f);
    run->k = arena_take(arena, rows * s->k, f);
    run->v = arena_take(arena, rows * s->v, f);
    run->z = arena_take(arena, rows * s->v, f);
    run->decay = arena_take(arena, rows * s->decay, f);
    run->beta = arena_take(arena, rows * 2 * s->heads, f);
    run->rank = arena_take(arena, rows * s->rank, f);
    run->y = arena_take(arena, rows * s->v, f);
    run->scratch = arena_take(arena, s->v ? linear_scratch_bytes(rows, widest) : 0, 1);
}

typedef struct Rows {
    const DeltaNet *m;
    DeltaRun *run;
    const KvCache *kv;
    size_t layer;
    const Batch *batch;
} Rows;

/* ------------------------------------------------------------------ projections */

/* y = map(x), or map(first(x)) if low-rank. */
static void map_rows(Pool *pool, const Rows *t, const Linear *first, const Linear *map,
                     const float *x, float *y) {
    size_t n = t->batch->count;
    if (first->w.data) {
        linear(pool, first, x, n, t->run->rank, t->run->scratch);
        x = t->run->rank;
    }
    linear(pool, map, x, n, y, t->run->scratch);
}

static void convolved(Pool *pool, const Rows *t, const Linear *map, const ShortConv *conv,
                      const float *x, float *y) {
    linear(pool, map, x, t->batch->count, t->run->in, t->run->scratch);
    short_conv_rows(pool, conv, t->kv, t->layer, t->batch, t->run->in, conv->channels, y);
}

static void project(Pool *pool, const Rows *t, const float *x) {
    const DeltaNet *m = t->m;
    const Linear none = {.bias = NULL};
    convolved(pool, t, &m->q, &m->q_conv, x, t->run->q);
    convolved(pool, t, &m->k, &m->k_conv, x, t->run->k);
    convolved(pool, t, &m->v, &m->v_conv, x, t->run->v);
    map_rows(pool, t, &m->gate_a, &m->gate, x, t->run->z);
    map_rows(pool, t, &none, m->both.w.data ? &m->both : &m->beta, x, t->run->beta);
    if (!m->both.w.data) map_rows(pool, t, &m->decay_a, &m->decay, x, t->run->decay);
}

/* Split a row of `both`, [betas | decays] of each key head, into two rows. */
static void part_both(const DeltaNet *m, float *both, float *decay) {
    float beta[2 * DELTA_DIM];
    size_t share = m->heads / m->keys;
    for (size_t h = 0; h < m->heads; h++) {
        const float *of_key = both + h / share * 2 * share;
        beta[h] = of_key[h % share], decay[h] = of_key[share + h % share];
    }
    memcpy(both, beta, m->heads * sizeof *beta);
}

/* Normalize each head to length 1. */
static void lengths_one(const DeltaNet *m, float *x) {
    for (size_t h = 0; h < m->keys; h++) l2_norm(x + h * m->d, m->d, m->eps);
}

/* A PoolTask: q and k of length 1, beta in 0 .. 1, decay = exp(a * softplus(decay + bias)).
 * With `both` a row of run->beta has 2 heads numbers and one of run->decay heads. */
static void prepare_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const DeltaNet *m = t->m;
    size_t decays = m->per_channel ? m->heads * m->d : m->heads,
           betas = m->both.w.data ? 2 * m->heads : m->heads;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *decay = t->run->decay + i * decays, *beta = t->run->beta + i * betas;
        if (m->both.w.data) part_both(m, beta, decay);
        lengths_one(m, t->run->q + i * m->keys * m->d);
        lengths_one(m, t->run->k + i * m->keys * m->d);
        for (size_t h = 0; h < m->heads; h++) beta[h] = 1 / (1 + expf(-beta[h]));
        for (size_t k = 0; k < decays; k++) decay[k] += m->dt_bias[k];
        softplus(decay, decay, decays);
        for (size_t k = 0; k < decays; k++) decay[k] *= m->a[m->per_channel ? k / m->d : k];
        vector_exp(decay, decay, 0, decays);
    }
}

/* ------------------------------------------------------------------ state update */

void delta_step(float *after, const float *before, size_t d, size_t rows, const float *decay,
                float beta, const float *q, const float *k, const float *v, float *out) {
    float u[DELTA_DIM] = {0}, stays[DELTA_DIM];
    for (size_t i = 0; i < d; i++) stays[i] = decay[i] * k[i];
    weighted_sum(STRIP_F32, &(WeightedTask){.y = u,
                                            .a = stays,
                                            .x = before,
                                            .x_step = STRIP * d,
                                            .count = 1,
                                            .rows = d,
                                            .n = rows}); /* S (D k) */
    for (size_t j = 0; j < rows; j++) u[j] = beta * (v[j] - u[j]);
    recurrence_strips(&(StripRecurrence){.after = after,
                                         .before = before,
                                         .decay = decay,
                                         .in = u,
                                         .b = k,
                                         .c = q,
                                         .out = out,
                                         .rows = rows,
                                         .n = d});
}

/* Token i updates some rows of head h, from j on. */
static void step_head(const Rows *t, size_t i, size_t h, size_t j, size_t rows,
                      StateStep state) {
    const DeltaNet *m = t->m;
    size_t d = m->d, betas = m->both.w.data ? 2 * m->heads : m->heads,
           key = m->tiled ? h % m->keys : h / (m->heads / m->keys), at = i * m->keys + key,
           value = (i * m->heads + h) * d + j;
    float same[DELTA_DIM];
    const float *decay = t->run->decay + (i * m->heads + h) * (m->per_channel ? d : 1);
    for (size_t k = 0; k < d && !m->per_channel; k++) same[k] = *decay;
    delta_step(state.after, state.before, d, rows, m->per_channel ? decay : same,
               t->run->beta[i * betas + h], t->run->q + at * d, t->run->k + at * d,
               t->run->v + value, t->run->y + value);
}

/* A PoolTask: all tokens for some tiles of heads, one tile after the other, so that it stays in
 * L1. */
static void some_tiles(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    size_t d = t->m->d, tiles = div_up(d, TILE), head = strip_rows(d) * d,
           all = delta_state(t->m) - t->m->heads * head;
    (void)worker;
    for (size_t at = begin; at < end; at++) {
        size_t h = at / tiles, j = at % tiles * TILE, rows = min_size(TILE, d - j);
        for (size_t i = 0; i < t->batch->count; i++) {
            StateStep state = state_step(t->kv, t->layer, t->batch, i, all + h * head + j * d,
                                         strip_rows(rows) * d);
            step_head(t, i, h, j, rows, state);
        }
    }
}

/* ------------------------------------------------------------------ norm and gate */

/* A PoolTask: y = norm(y / sqrt(d)) * silu(z) or sigmoid(z). */
static void gate_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    size_t width = t->m->heads * t->m->d;
    float scale = 1 / sqrtf((float)t->m->d);
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *y = t->run->y + i * width, *z = t->run->z + i * width;
        for (size_t k = 0; k < width; k++) y[k] *= scale;
        norm_apply(&t->m->norm, y, y, width);
        if (t->m->sigmoid_gate)
            sigmoid_row(z, z, width);
        else
            silu(z, z, width);
        for (size_t k = 0; k < width; k++) y[k] *= z[k];
    }
}

void delta_forward(Pool *pool, const DeltaNet *m, DeltaRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out) {
    size_t n = batch->count;
    Rows rows = {m, run, kv, layer, batch};
    project(pool, &rows, x);
    pool_for(pool, n, ROWS, prepare_rows, &rows);
    pool_for(pool, m->heads * div_up(m->d, TILE), 1, some_tiles, &rows);
    pool_for(pool, n, ROWS, gate_rows, &rows);
    linear(pool, &m->out, run->y, n, out, run->scratch);
}

/* ------------------------------------------------------------------ as a part of a block */

static void *delta_open(const BlockPlan *plan) {
    DeltaSizes sizes = {0};
    DeltaRun spare, *run = arena_take(plan->arena, 1, sizeof *run);
    for (const Block *b = plan->blocks; b < plan->blocks + plan->count; b++)
        if (b->extras) delta_sizes_include(&sizes, &b->extras->delta);
    delta_run_init(run ? run : &spare, plan->rows, &sizes, plan->arena);
    return run;
}

static void delta_rows(const Block *b, const Pass *p, const float *in, float *out) {
    delta_forward(p->run->pool, &b->extras->delta, block_memory(p->run, delta_open), p->kv,
                  p->layer, p->batch, in, out);
}

static size_t delta_numbers(const Block *b) { return delta_state(&b->extras->delta); }

const PartKind delta_part = {"delta net", delta_rows, delta_numbers, NULL, delta_open};
