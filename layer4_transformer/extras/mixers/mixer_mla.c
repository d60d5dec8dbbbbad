/* mixer_mla.c - see mixer_mla.h. */
#include "mixer_mla.h"
#include "block_extras.h"

#include <string.h>

enum { ROWS = 4 }; /* rows per task */

static bool is_absorbed(const Mla *m) { return m->k_b.w.data; }

void mla_sizes_include(MlaSizes *s, const Attention *a, const Mla *m) {
    if (!m->kv_a.w.data) return;
    indexer_sizes_include(&s->index, &m->index);
    size_t heads = a->shape.heads, head = max_size(m->rank, m->plain + m->value);
    s->dim = max_size(s->dim, m->kv_a.w.shape[1]);
    s->heads = max_size(s->heads, heads);
    s->q = max_size(s->q, heads * (m->plain + m->rotary));
    s->kv = max_size(s->kv, m->rank + m->rotary);
    s->head = max_size(s->head, head);
    s->head_rows = max_size(s->head_rows, heads * head);
    if (m->q_a.w.data) s->q_latent = max_size(s->q_latent, m->q_a.w.shape[0]);
}

void mla_run_init(MlaRun *run, Pool *pool, size_t rows, const MlaSizes *s, Arena *arena) {
    size_t f = sizeof(float), in = max_size(max_size(s->dim, s->q_latent), s->head);
    *run = (MlaRun){.q_latent = arena_take(arena, rows * s->q_latent, f)};
    if (!s->heads) return;
    indexer_run_init(&run->index, pool, rows, &s->index, arena);
    run->q = arena_take(arena, rows * s->q, f);
    run->kv = arena_take(arena, rows * s->kv, f);
    run->heads_in = arena_take(arena, rows * s->head_rows, f);
    run->heads_out = arena_take(arena, rows * s->head_rows, f);
    run->maps = arena_take(arena, s->heads, sizeof *run->maps);
    run->products = arena_take(arena, s->heads, sizeof *run->products);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows * s->heads, in), 1);
}

typedef struct Rows {
    const Attention *a;
    const Mla *m;
    AttentionRun *shared;
    MlaRun *run;
    KvCache *kv;
    size_t layer;
    const Batch *batch;
} Rows;

/* ------------------------------------------------------------------ queries and latents */

static void project(Pool *pool, const Rows *t, const float *x) {
    const Mla *m = t->m;
    size_t n = t->batch->count;
    linear(pool, &m->kv_a, x, n, t->run->kv, t->run->scratch);
    if (!m->q_a.w.data) {
        linear(pool, &t->a->q, x, n, t->run->q, t->run->scratch);
        return;
    }
    linear(pool, &m->q_a, x, n, t->run->q_latent, t->run->scratch);
    float *latent = t->run->q_latent;
    norm_apply_rows(pool, &m->q_a_norm, latent, latent, n, m->q_a.w.shape[0]);
    linear(pool, &m->q_b, t->run->q_latent, n, t->run->q, t->run->scratch);
}

/* A PoolTask: norm c, rotate k' and each head's q', scale q by its position (q_temperature).  q
 * goes to heads_in, a head's rows together (absorbed), or to the query's front (plain); q' to
 * the query's end. */
static void place_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Mla *m = t->m;
    const AttentionShape *s = &t->a->shape;
    size_t n = t->batch->count, q_width = m->plain + m->rotary, half = m->rotary / 2;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        size_t position = (size_t)t->batch->position[i];
        float *c = t->run->kv + i * (m->rank + m->rotary),
              *q = t->run->q + i * s->heads * q_width, *cosine = t->shared->cosine + i * half,
              *sine = t->shared->sine + i * half;
        bool turns = t->a->rope && t->a->rope->style != ROPE_NONE;
        norm_apply(&m->kv_a_norm, c, c, m->rank);
        if (turns) rope_angles(t->a->rope, position, cosine, sine);
        if (turns) rope_rotate(t->a->rope, cosine, sine, c + m->rank);
        if (t->a->q_temperature > 0) attention_scale_q(t->a, q, s->heads * q_width, position);
        for (size_t h = 0; h < s->heads; h++, q += q_width) {
            float *to = t->shared->q + (i * s->heads + h) * s->head_dim;
            if (turns) rope_rotate(t->a->rope, cosine, sine, q + m->plain);
            memcpy(to + s->head_dim - m->rotary, q + m->plain, m->rotary * sizeof *q);
            float *plain = is_absorbed(m) ? t->run->heads_in + (h * n + i) * m->plain : to;
            memcpy(plain, q, m->plain * sizeof *q);
        }
    }
}

/* ------------------------------------------------------------------ absorbed */

/* Apply the matrix of head h to rows h * n .. h * n + n - 1, for all heads. */
static void map_heads(Pool *pool, const Rows *t, const Linear *stack) {
    size_t n = t->batch->count, heads = t->a->shape.heads, out = stack->w.shape[1];
    for (size_t h = 0; h < heads; h++) {
        t->run->maps[h] = linear_of_stack(stack, h);
        t->run->products[h] =
            (LinearProduct){&t->run->maps[h], h * n, n, t->run->heads_out + h * n * out};
    }
    linear_products(pool, t->run->products, heads, t->run->heads_in, heads * n,
                    t->run->scratch);
}

/* PoolTasks: transpose between (heads, rows) and (rows, heads); store_latents stores c and k',
 * too. */
static void store_latents(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const AttentionShape *s = &t->a->shape;
    size_t n = t->batch->count, rank = t->m->rank;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const float *c = t->run->kv + i * s->head_dim;
        for (size_t h = 0; h < s->heads; h++)
            memcpy(t->shared->q + (i * s->heads + h) * s->head_dim,
                   t->run->heads_out + (h * n + i) * rank, rank * sizeof *c);
        kv_store(t->kv, t->layer, (size_t)t->batch->sequence[i], (size_t)t->batch->position[i],
                 c, c);
    }
}

static void gather_mixed(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    size_t n = t->batch->count, heads = t->a->shape.heads, rank = t->m->rank;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        for (size_t h = 0; h < heads; h++)
            memcpy(t->run->heads_in + (h * n + i) * rank,
                   t->shared->mixed + (i * heads + h) * rank, rank * sizeof(float));
}

static void spread_values(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    size_t n = t->batch->count, heads = t->a->shape.heads, value = t->m->value;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        for (size_t h = 0; h < heads; h++)
            memcpy(t->shared->mixed + (i * heads + h) * value,
                   t->run->heads_out + (h * n + i) * value, value * sizeof(float));
}

/* ------------------------------------------------------------------ plain */

/* A PoolTask: each head's own key and value, from K c and V c. */
static void store_heads(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Mla *m = t->m;
    const AttentionShape *s = &t->a->shape;
    size_t f = sizeof(float);
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const float *turned = t->run->kv + i * (m->rank + m->rotary) + m->rank,
                    *kv = t->run->heads_out + i * s->heads * (m->plain + m->value);
        float *k = t->shared->k + i * s->heads * s->head_dim,
              *v = t->shared->v + i * s->heads * m->value;
        for (size_t h = 0; h < s->heads; h++, kv += m->plain + m->value) {
            memcpy(k + h * s->head_dim, kv, m->plain * f);
            memcpy(k + h * s->head_dim + m->plain, turned, m->rotary * f);
            memcpy(v + h * m->value, kv + m->plain, m->value * f);
        }
        kv_store(t->kv, t->layer, (size_t)t->batch->sequence[i], (size_t)t->batch->position[i],
                 k, v);
    }
}

/* Pack the latents without k' for the product. */
static void pack_latents(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    size_t rank = t->m->rank;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        memcpy(t->run->heads_in + i * rank, t->run->kv + i * (rank + t->m->rotary),
               rank * sizeof(float));
}

/* ------------------------------------------------------------------ forward */

void mla_forward(Pool *pool, const Attention *a, const Mla *m, AttentionRun *shared,
                 MlaRun *run, KvCache *kv, size_t layer, const Batch *batch, const float *x,
                 float *out) {
    size_t n = batch->count;
    Rows rows = {a, m, shared, run, kv, layer, batch};
    project(pool, &rows, x);
    pool_for(pool, n, ROWS, place_rows, &rows);
    if (is_absorbed(m)) {
        map_heads(pool, &rows, &m->k_b);
        pool_for(pool, n, ROWS, store_latents, &rows);
    } else {
        pool_for(pool, n, ROWS, pack_latents, &rows);
        linear(pool, &m->kv_b, run->heads_in, n, run->heads_out, run->scratch);
        pool_for(pool, n, ROWS, store_heads, &rows);
    }
    AttentionShape shape = a->shape;
    if (m->index.heads) {
        indexer_choose(pool, &m->index, &run->index, kv, batch, x, run->q_latent);
        shape.chosen = run->index.chosen, shape.chosen_words = run->index.pages;
    }
    if (shared->probe) probe_queries(shared->probe, &shape, shared->q);
    attention_online(pool, &shape, kv, layer, batch, shared->q, shared->mixed);
    if (shared->probe) {
        probe_weights(shared->probe, &shape, kv, shared->q);
        probe_heads(shared->probe, &a->shape, shared->mixed);
    }
    if (is_absorbed(m)) {
        pool_for(pool, n, ROWS, gather_mixed, &rows);
        map_heads(pool, &rows, &m->v_b);
        pool_for(pool, n, ROWS, spread_values, &rows);
    }
    linear(pool, &a->o, shared->mixed, n, out, shared->scratch);
}

/* ------------------------------------------------------------------ as a part of a block */

static void *mla_open(const BlockPlan *plan) {
    MlaSizes sizes = {.index.ctx = plan->ctx};
    MlaRun spare, *run = arena_take(plan->arena, 1, sizeof *run);
    for (const Block *b = plan->blocks; b < plan->blocks + plan->count; b++)
        if (b->extras) mla_sizes_include(&sizes, &b->attention, &b->extras->mla);
    mla_run_init(run ? run : &spare, plan->pool, plan->rows, &sizes, plan->arena);
    return run;
}

static void mla_rows(const Block *b, const Pass *p, const float *in, float *out) {
    BlockRun *run = p->run;
    mla_forward(run->pool, &b->attention, &b->extras->mla, &run->attention,
                block_memory(run, mla_open), p->kv, p->layer - b->attention.kv_back, p->batch,
                in, out);
}

/* Uses attention's working memory; the mixed rows may be wider. */
static void mla_include(BlockSizes *s, const Block *b) {
    attention_require_bare(&b->attention, "latent attention");
    attention_sizes_include(&s->attention, &b->attention);
    s->attention.mixed =
        max_size(s->attention.mixed, b->attention.shape.heads * b->extras->mla.value);
}

const PartKind mla_part = {"latent attention", mla_rows, NULL, mla_include, mla_open};
