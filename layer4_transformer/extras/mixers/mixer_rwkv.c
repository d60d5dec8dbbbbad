/* mixer_rwkv.c - see mixer_rwkv.h. */
#include "rwkv_rows.h"

#include <math.h>
#include <string.h>

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

/* ------------------------------------------------------------------ shift */

/* A PoolTask: all tokens for some channels; mixed = x + (x before - x) mu. */
static void shift_channels(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    size_t dim = rwkv_width(t->m), n = t->batch->count;
    (void)worker;
    for (size_t i = 0; i < n; i++) {
        StateStep state = state_step(t->kv, t->layer, t->batch, i, t->at + begin, end - begin);
        const float *x = t->x + i * dim;
        float step[CHANNELS] = {0};
        for (size_t c = begin; c < end; c++) step[c - begin] = state.before[c - begin] - x[c];
        for (size_t j = 0; j < t->mixes; j++) {
            float *mixed = t->run->mixed + (j * n + i) * dim;
            const float *mu = t->mus[j];
            for (size_t c = begin; c < end; c++) mixed[c] = x[c] + step[c - begin] * mu[c];
        }
        if (t->step) memcpy(t->step + i * dim + begin, step, (end - begin) * sizeof *step);
        memcpy(state.after, x + begin, (end - begin) * sizeof *x);
    }
}

void rwkv_shift(Pool *pool, Rows *t) {
    pool_for(pool, rwkv_width(t->m), CHANNELS, shift_channels, t);
}

size_t rwkv_shifts(const Rwkv *m) { return (m->channel_up.w.data ? 2 : 1) * rwkv_width(m); }

/* ------------------------------------------------------------------ projections */

void rwkv_map_low(Pool *pool, const Rows *t, const RwkvMap *map, int mix, float (*act)(float x),
                  float *y) {
    size_t n = t->batch->count, dim = rwkv_width(t->m), rank = map->down.w.shape[0];
    linear(pool, &map->down, t->run->mixed + (size_t)mix * n * dim, n, t->run->rank,
           t->run->scratch);
    for (size_t i = 0; i < n * rank && act; i++) t->run->rank[i] = act(t->run->rank[i]);
    linear(pool, &map->up, t->run->rank, n, y, t->run->scratch);
    for (size_t i = 0; i < n && map->bias; i++) axpy(y + i * dim, 1, map->bias, dim);
}

static void project(Pool *pool, const Rows *t) {
    const Rwkv *m = t->m;
    RwkvRun *run = t->run;
    size_t n = t->batch->count, all = n * rwkv_width(m);
    linear(pool, &m->r, run->mixed + RWKV_R * all, n, run->r, run->scratch);
    linear(pool, &m->k, run->mixed + RWKV_K * all, n, run->k, run->scratch);
    linear(pool, &m->v, run->mixed + RWKV_V * all, n, run->v, run->scratch);
    rwkv_map_low(pool, t, &m->w, RWKV_W, tanhf, run->w);
    rwkv_map_low(pool, t, &m->a, RWKV_A, NULL, run->a);
    if (m->g.up.w.data) rwkv_map_low(pool, t, &m->g, RWKV_G, sigmoid, run->g);
    for (size_t i = 0; i < all && !m->g.up.w.data; i++) run->g[i] = 1;
    if (m->first)
        memcpy(run->first, run->v, all * sizeof *run->v);
    else
        rwkv_map_low(pool, t, &m->value, RWKV_V, NULL, run->y);
}

/* A PoolTask: w, a, k', k and v by the formulas of mixer_rwkv.h. */
static void prepare_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Rwkv *m = t->m;
    size_t dim = rwkv_width(m);
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *w = t->run->w + i * dim, *a = t->run->a + i * dim, *k = t->run->k + i * dim,
              *v = t->run->v + i * dim, *kk = t->run->kk + i * dim;
        const float *first = t->run->first + i * dim;
        float *open = t->run->y + i * dim;
        sigmoid_row(w, w, dim), sigmoid_row(a, a, dim);
        for (size_t c = 0; c < dim; c++) w[c] *= -0.606531f;
        vector_exp(w, w, 0, dim);
        for (size_t c = 0; c < dim; c++) kk[c] = k[c] * m->kk[c];
        for (size_t c = 0; c < dim; c++) k[c] *= 1 + (a[c] - 1) * m->ka[c];
        if (!m->first) sigmoid_row(open, open, dim);
        for (size_t c = 0; c < dim && !m->first; c++) v[c] += (first[c] - v[c]) * open[c];
        for (size_t h = 0; h < m->heads; h++) l2_norm(kk + h * m->d, m->d, 1e-12f);
    }
}

/* ------------------------------------------------------------------ state update */

void rwkv_step(float *after, const float *before, size_t d, const float *w, const float *kk,
               const float *a, const float *r, const float *k, const float *v, float *out) {
    float missing[RWKV_DIM] = {0}, where[RWKV_DIM];
    weighted_sum(STRIP_F32, &(WeightedTask){.y = missing,
                                            .a = kk,
                                            .x = before,
                                            .x_step = STRIP * d,
                                            .count = 1,
                                            .rows = d,
                                            .n = d}); /* S k' */
    for (size_t i = 0; i < d; i++) missing[i] = -missing[i];
    for (size_t j = 0; j < d; j++) where[j] = kk[j] * a[j];
    recurrence_strips(&(StripRecurrence){.after = after,
                                         .before = before,
                                         .decay = w,
                                         .in = missing,
                                         .b = where,
                                         .in2 = v,
                                         .b2 = k,
                                         .c = r,
                                         .out = out,
                                         .rows = d,
                                         .n = d});
}

/* A PoolTask: all tokens for some heads, one head after the other, so that its state stays in
 * cache. */
static void some_heads(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const RwkvRun *run = t->run;
    size_t d = t->m->d, dim = rwkv_width(t->m), numbers = strip_rows(d) * d,
           states = rwkv_shifts(t->m);
    (void)worker;
    for (size_t h = begin; h < end; h++)
        for (size_t i = 0; i < t->batch->count; i++) {
            StateStep s =
                state_step(t->kv, t->layer, t->batch, i, states + h * numbers, numbers);
            size_t o = i * dim + h * d;
            rwkv_step(s.after, s.before, d, run->w + o, run->kk + o, run->a + o, run->r + o,
                      run->k + o, run->v + o, run->y + o);
        }
}

/* ------------------------------------------------------------------ norm, own pair, gate */

/* A PoolTask: y = (norm(y) + (r . k rk) v) g. */
static void finish_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Rwkv *m = t->m;
    size_t d = m->d, dim = rwkv_width(m);
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *y = t->run->y + i * dim;
        const float *r = t->run->r + i * dim, *k = t->run->k + i * dim,
                    *v = t->run->v + i * dim, *g = t->run->g + i * dim;
        norm_apply(&m->norm, y, y, dim);
        for (size_t h = 0; h < m->heads; h++) {
            float own = 0;
            for (size_t c = h * d; c < (h + 1) * d; c++) own += r[c] * k[c] * m->rk[c];
            for (size_t c = h * d; c < (h + 1) * d; c++) y[c] = (y[c] + own * v[c]) * g[c];
        }
    }
}

/* ------------------------------------------------------------------ as a part of a block */

/* Numbers per row of the low-rank maps: of RWKV 6's shift all five, and one of them again. */
static size_t rwkv_ranks(const Rwkv *m) {
    const RwkvMap *maps[] = {&m->w, &m->a, &m->g, &m->value};
    size_t rank = m->six.down.w.data ? m->six.down.w.shape[0] / RWKV6_MIXES * 6 : 0;
    for (int i = 0; i < 4; i++)
        if (maps[i]->down.w.data) rank = max_size(rank, maps[i]->down.w.shape[0]);
    return rank;
}

/* Working memory for the widest of a model. */
void *rwkv_open(const BlockPlan *plan) {
    const size_t rows = plan->rows, f = sizeof(float);
    size_t dim = 0, rank = 0, hidden = 0;
    RwkvRun spare = {0}, *run = arena_take(plan->arena, 1, sizeof *run),
            *to = run ? run : &spare;
    for (const Block *b = plan->blocks; b < plan->blocks + plan->count; b++) {
        const Rwkv *m = b->extras ? &b->extras->rwkv : NULL;
        if (!m || !m->out.w.data) continue;
        dim = max_size(dim, rwkv_width(m)), rank = max_size(rank, rwkv_ranks(m));
        if (m->channel_up.w.data) hidden = max_size(hidden, m->channel_up.w.shape[0]);
    }
    float **const whole[] = {&to->r, &to->k,  &to->v,     &to->w,    &to->a,
                             &to->g, &to->kk, &to->first, &to->step, &to->y};
    to->mixed = arena_take(plan->arena, RWKV_MIXES * rows * dim, f);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        *whole[i] = arena_take(plan->arena, rows * dim, f);
    to->rank = arena_take(plan->arena, rows * rank, f);
    to->hidden = arena_take(plan->arena, rows * hidden, f);
    size_t widest = max_size(max_size(dim, hidden), rank);
    to->scratch = arena_take(plan->arena, dim ? linear_scratch_bytes(rows, widest) : 0, 1);
    return run;
}

size_t rwkv_state(const Block *b) {
    const Rwkv *m = &b->extras->rwkv;
    return rwkv_shifts(m) + m->heads * strip_rows(m->d) * m->d;
}

static void rwkv_time_mix(const Block *b, const Pass *p, const float *in, float *out) {
    const Rwkv *m = &b->extras->rwkv;
    RwkvRun *run = block_memory(p->run, rwkv_open);
    Pool *pool = p->run->pool;
    const size_t n = p->batch->count, mixes = m->g.up.w.data ? RWKV_MIXES : RWKV_G;
    const float *mus[RWKV_MIXES];
    for (size_t j = 0; j < mixes; j++) mus[j] = m->mu + j * rwkv_width(m);
    Rows rows = {m, run, p->kv, p->layer, p->batch, in, mus, mixes, 0, NULL};
    rwkv_shift(pool, &rows);
    project(pool, &rows);
    pool_for(pool, n, ROWS, prepare_rows, &rows);
    pool_for(pool, m->heads, 1, some_heads, &rows);
    pool_for(pool, n, ROWS, finish_rows, &rows);
    linear(pool, &m->out, run->y, n, out, run->scratch);
}

static void rwkv_channel_mix(const Block *b, const Pass *p, const float *in, float *out) {
    const Rwkv *m = &b->extras->rwkv;
    RwkvRun *run = block_memory(p->run, rwkv_open);
    Pool *pool = p->run->pool;
    const size_t dim = rwkv_width(m), n = p->batch->count, hidden = m->channel_up.w.shape[0];
    const bool gated = m->channel_gate.w.data;
    const float *mus[] = {m->channel_mu, m->channel_gate_mu};
    Rows rows = {m, run, p->kv, p->layer, p->batch, in, mus, gated ? 2 : 1, dim, NULL};
    rwkv_shift(pool, &rows);
    linear(pool, &m->channel_up, run->mixed, n, run->hidden, run->scratch);
    relu_squared(run->hidden, run->hidden, n * hidden);
    linear(pool, &m->channel_down, run->hidden, n, out, run->scratch);
    if (!gated) return;
    linear(pool, &m->channel_gate, run->mixed + n * dim, n, run->r, run->scratch);
    sigmoid_row(run->r, run->r, n * dim);
    for (size_t i = 0; i < n * dim; i++) out[i] *= run->r[i];
}

const PartKind rwkv_part = {"rwkv time mix", rwkv_time_mix, rwkv_state, NULL, rwkv_open},
               rwkv_channel_part = {
                   .name = "rwkv channel mix", .forward = rwkv_channel_mix, .open = rwkv_open};
