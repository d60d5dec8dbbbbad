/* mixer_rwkv6.c - see mixer_rwkv6.h. */
#include "mixer_rwkv6.h"
#include "rwkv_rows.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ shift by token */

/* A PoolTask: mixed = x + step (mixed + mu), for each of the five. */
static void blend_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const size_t dim = rwkv_width(t->m), n = t->batch->count;
    (void)worker;
    for (size_t j = 0; j < RWKV6_MIXES; j++)
        for (size_t i = begin; i < end; i++) {
            const float *x = t->x + i * dim, *step = t->step + i * dim, *mu = t->m->six.mus[j];
            float *mixed = t->run->mixed + (j * n + i) * dim;
            for (size_t c = 0; c < dim; c++) mixed[c] = x[c] + step[c] * (mixed[c] + mu[c]);
        }
}

/* mixed = U_j tanh(D_j x'), then blend_rows.  x' is mixed[0] at first. */
static void shift_by_token(Pool *pool, Rows *t) {
    const Rwkv6 *six = &t->m->six;
    RwkvRun *run = t->run;
    const size_t dim = rwkv_width(t->m), n = t->batch->count, all = six->down.w.shape[0],
                 rank = all / RWKV6_MIXES;
    float *part = run->rank + n * all; /* one map's numbers of all rows */
    rwkv_shift(pool, t);
    linear(pool, &six->down, run->mixed, n, run->rank, run->scratch);
    for (size_t j = 0; j < RWKV6_MIXES; j++) {
        const Linear up = linear_of_stack(&six->up, j);
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < rank; c++)
                part[i * rank + c] = tanhf(run->rank[i * all + j * rank + c]);
        linear(pool, &up, part, n, run->mixed + j * n * dim, run->scratch);
    }
    pool_for(pool, n, ROWS, blend_rows, t);
}

/* ------------------------------------------------------------------ projections */

/* k and v of key heads into kk and first: rwkv6_prepare_rows copies them to all heads. */
static void rwkv6_project(Pool *pool, const Rows *t) {
    const Rwkv *m = t->m;
    RwkvRun *run = t->run;
    const size_t n = t->batch->count, all = n * rwkv_width(m);
    linear(pool, &m->r, run->mixed + RWKV6_R * all, n, run->r, run->scratch);
    linear(pool, &m->k, run->mixed + RWKV6_K * all, n, run->kk, run->scratch);
    linear(pool, &m->v, run->mixed + RWKV6_V * all, n, run->first, run->scratch);
    linear(pool, &m->six.gate, run->mixed + RWKV6_G * all, n, run->g, run->scratch);
    rwkv_map_low(pool, t, &m->w, RWKV6_W, tanhf, run->w);
}

/* A PoolTask: w, g, k and v by the formulas of mixer_rwkv6.h. */
static void rwkv6_prepare_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Rwkv *m = t->m;
    const size_t d = m->d, dim = rwkv_width(m), kv = m->six.kv_heads,
                 group = m->heads / kv; /* heads that share a key head */
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *w = t->run->w + i * dim, *g = t->run->g + i * dim, *k = t->run->k + i * dim,
              *v = t->run->v + i * dim;
        vector_exp(w, w, 0, dim);
        for (size_t c = 0; c < dim; c++) w[c] = -w[c];
        vector_exp(w, w, 0, dim);
        for (size_t h = 0; h < m->heads; h++) {
            const size_t from = (i * kv + h / group) * d;
            memcpy(k + h * d, t->run->kk + from, d * sizeof *k);
            memcpy(v + h * d, t->run->first + from, d * sizeof *v);
        }
        if (m->six.bonus) {
            silu(g, g, dim);
            continue;
        }
        sigmoid_row(g, g, dim);
        for (size_t c = 0; c < dim; c++) k[c] -= k[c] * w[c];
    }
}

/* ------------------------------------------------------------------ state update */

void rwkv6_step(float *after, const float *before, size_t d, const float *w, const float *u,
                const float *r, const float *k, const float *v, float *out) {
    float read[RWKV_DIM] = {0}, own = 0;
    if (u)
        weighted_sum(STRIP_F32, &(WeightedTask){.y = read,
                                                .a = r,
                                                .x = before,
                                                .x_step = STRIP * d,
                                                .count = 1,
                                                .rows = d,
                                                .n = d}); /* S r */
    recurrence_strips(&(StripRecurrence){.after = after,
                                         .before = before,
                                         .decay = w,
                                         .in = v,
                                         .b = k,
                                         .c = r,
                                         .out = out,
                                         .rows = d,
                                         .n = d});
    for (size_t j = 0; j < d && u; j++) own += r[j] * k[j] * u[j];
    for (size_t i = 0; i < d && u; i++) out[i] = read[i] + own * v[i];
}

/* A PoolTask: all tokens for some heads, as in RWKV 7. */
static void rwkv6_some_heads(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const RwkvRun *run = t->run;
    const size_t d = t->m->d, dim = rwkv_width(t->m), numbers = strip_rows(d) * d,
                 states = rwkv_shifts(t->m);
    const float *bonus = t->m->six.bonus;
    (void)worker;
    for (size_t h = begin; h < end; h++)
        for (size_t i = 0; i < t->batch->count; i++) {
            StateStep s =
                state_step(t->kv, t->layer, t->batch, i, states + h * numbers, numbers);
            const size_t o = i * dim + h * d;
            rwkv6_step(s.after, s.before, d, run->w + o, bonus ? bonus + h * d : NULL,
                       run->r + o, run->k + o, run->v + o, run->y + o);
        }
}

/* A PoolTask: y = norm(y) g, or y / sqrt(d) g. */
static void rwkv6_finish_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Rwkv *m = t->m;
    const size_t dim = rwkv_width(m);
    const float scale = m->six.bonus ? 1 : 1 / sqrtf((float)m->d);
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *y = t->run->y + i * dim;
        const float *g = t->run->g + i * dim;
        norm_apply(&m->norm, y, y, dim);
        for (size_t c = 0; c < dim; c++) y[c] *= scale * g[c];
    }
}

/* ------------------------------------------------------------------ as a part of a block */

static void rwkv6_time_mix(const Block *b, const Pass *p, const float *in, float *out) {
    const Rwkv *m = &b->extras->rwkv;
    RwkvRun *run = block_memory(p->run, rwkv_open);
    Pool *pool = p->run->pool;
    const size_t n = p->batch->count;
    Rows rows = {m, run, p->kv, p->layer, p->batch, in, &m->six.mu, 1, 0, run->step};
    shift_by_token(pool, &rows);
    rwkv6_project(pool, &rows);
    pool_for(pool, n, ROWS, rwkv6_prepare_rows, &rows);
    pool_for(pool, m->heads, 1, rwkv6_some_heads, &rows);
    pool_for(pool, n, ROWS, rwkv6_finish_rows, &rows);
    linear(pool, &m->out, run->y, n, out, run->scratch);
}

const PartKind rwkv6_part = {"rwkv 6 time mix", rwkv6_time_mix, rwkv_state, NULL, rwkv_open};
