/* mixer_attention.c - see mixer_attention.h. */
#include "block.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4 }; /* rows per task */

static inline bool is_rotated(const Attention *a) {
    return a->rope && a->rope->style != ROPE_NONE;
}

void attention_sizes_include(AttentionSizes *sizes, const Attention *a) {
    const AttentionShape *s = &a->shape;
    sizes->dim = max_size(sizes->dim, a->o.w.shape[0]);
    if (a->q.w.data) sizes->dim = max_size(sizes->dim, a->q.w.shape[1]); /* join.h: 2 dim */
    sizes->q = max_size(sizes->q, attention_q_width(s));
    sizes->k = max_size(sizes->k, attention_k_width(s));
    sizes->v = max_size(sizes->v, attention_v_width(s));
    sizes->mixed = max_size(sizes->mixed, s->heads * attention_value_dim(s));
    if (a->gate.w.data) sizes->gate = max_size(sizes->gate, a->gate.w.shape[0]);
    if (a->gate_in_q) sizes->gate = max_size(sizes->gate, 2 * attention_q_width(s));
    if (a->rope) sizes->rotary = max_size(sizes->rotary, a->rope->rotary);
}

void attention_check(const Attention *a) {
    const AttentionShape *s = &a->shape;
    const size_t q = attention_q_width(s), k = attention_k_width(s), v = attention_v_width(s),
                 mixed = s->heads * attention_value_dim(s), gates = a->gate.w.shape[0];
    REQUIRE(a->q.w.shape[0] == (a->gate_in_q ? 2 * q : q) && a->o.w.shape[1] == mixed &&
                (a->kv_back ? !a->k.w.data && !a->v.w.data
                            : a->k.w.shape[0] == k && v == (a->v.w.data ? a->v.w.shape[0] : k)),
            "maps q, k, v or o of other sizes than the heads");
    REQUIRE(a->gate_in_q ? !a->gate.w.data && mixed == q
                         : !a->gate.w.data || gates == mixed || gates == s->heads,
            "%zu gates for %zu heads", gates, s->heads);
    REQUIRE(!is_rotated(a) || a->rope->rotary <= s->head_dim, "rotary of %zu", s->head_dim);
    REQUIRE(a->clamp >= 0 && (!(a->q_temperature > 0) || a->temperature_ctx > 0),
            "clamp or temperature_ctx");
}

void attention_run_init(AttentionRun *run, size_t rows, const AttentionSizes *s, Arena *arena) {
    size_t f = sizeof(float);
    run->probe = NULL;
    run->q = arena_take(arena, rows * s->q, f);
    run->k = arena_take(arena, rows * s->k, f);
    run->v = arena_take(arena, rows * s->v, f);
    run->mixed = arena_take(arena, rows * s->mixed, f);
    run->gate = arena_take(arena, rows * s->gate, f);
    run->cosine = arena_take(arena, rows * (s->rotary / 2 + 1), f);
    run->sine = arena_take(arena, rows * (s->rotary / 2 + 1), f);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows, max_size(s->dim, s->mixed)), 1);
}

typedef struct Rows {
    const Attention *a;
    AttentionRun *run;
    KvCache *kv;
    size_t layer;
    const Batch *batch;
} Rows;

static void clamp_row(float *x, size_t n, float limit) {
    for (size_t i = 0; i < n; i++) x[i] = x[i] > limit ? limit : x[i] < -limit ? -limit : x[i];
}

/* Norm and rotation of one row's heads, in the family's order; either may be none. */
static void norm_and_rope(const Attention *a, const Norm *norm, float *row, size_t heads,
                          const float *cosine, const float *sine) {
    size_t hd = a->shape.head_dim;
    if (!a->norm_after_rope) norm_apply(norm, row, row, heads * hd);
    if (is_rotated(a))
        for (size_t h = 0; h < heads; h++) rope_rotate(a->rope, cosine, sine, row + h * hd);
    if (a->norm_after_rope) norm_apply(norm, row, row, heads * hd);
}

void attention_scale_q(const Attention *a, float *q, size_t n, size_t position) {
    float place = (float)(position + a->temperature_from),
          grow = 1 + a->q_temperature * logf(1 + floorf(place / a->temperature_ctx));
    for (size_t i = 0; i < n; i++) q[i] *= grow;
}

/* Split [query | gate] of each head: queries to q, gates to the front of `both`. */
static void split_q_gate(const Attention *a, float *both, float *q) {
    size_t hd = a->shape.head_dim;
    for (size_t h = 0; h < a->shape.heads; h++) {
        memcpy(q + h * hd, both + 2 * h * hd, hd * sizeof *q);
        memmove(both + h * hd, both + (2 * h + 1) * hd, hd * sizeof *q);
    }
}

/* Row i of the batch: prepare q, k and v as the family does, and store k and v; with `kv_back`
 * there is only a query. */
static void place_row(const Rows *t, size_t i) {
    const Attention *a = t->a;
    const AttentionShape *s = &a->shape;
    size_t half = a->rope ? a->rope->rotary / 2 : 0, position = (size_t)t->batch->position[i];
    float *cosine = t->run->cosine + i * half, *sine = t->run->sine + i * half,
          *q = t->run->q + i * attention_q_width(s), *k = t->run->k + i * attention_k_width(s),
          *v = t->run->v + i * attention_v_width(s);
    if (a->gate_in_q) split_q_gate(a, t->run->gate + i * 2 * attention_q_width(s), q);
    if (a->clamp > 0) clamp_row(q, attention_q_width(s), a->clamp);
    if (is_rotated(a)) rope_angles(a->rope, position, cosine, sine);
    if (is_rotated(a) && a->rope->places) rope_places(a->rope, i, cosine, sine);
    norm_and_rope(a, &a->q_norm, q, s->heads, cosine, sine);
    if (a->q_temperature > 0) attention_scale_q(a, q, attention_q_width(s), position);
    if (a->kv_back) return;
    for (size_t n = 0; a->v_scale != 0 && n < attention_v_width(s); n++) v[n] *= a->v_scale;
    if (a->clamp > 0) {
        clamp_row(k, attention_k_width(s), a->clamp);
        clamp_row(v, attention_v_width(s), a->clamp);
    }
    norm_and_rope(a, &a->k_norm, k, s->kv_heads, cosine, sine);
    kv_store(t->kv, t->layer, (size_t)t->batch->sequence[i], position, k, v);
}

static void place_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Rows *t = context;
    for (size_t i = begin; i < end; i++) place_row(t, i);
}

/* A PoolTask: without a map of their own values are the keys; then their norm. */
static void take_values(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Rows *t = context;
    size_t width = attention_v_width(&t->a->shape);
    for (size_t i = begin; i < end; i++) {
        float *v = t->run->v + i * width;
        if (!t->a->v.w.data) memcpy(v, t->run->k + i * width, width * sizeof *v);
        norm_apply(&t->a->v_norm, v, v, width);
    }
}

static void project(Pool *pool, const Attention *a, AttentionRun *run, const float *x,
                    size_t n) {
    const LinearProduct all[] = {{&a->q, 0, n, a->gate_in_q ? run->gate : run->q},
                                 {&a->k, 0, n, run->k},
                                 {&a->v, 0, n, run->v},
                                 {&a->gate, 0, n, run->gate}};
    LinearProduct products[4];
    size_t count = 0;
    for (int i = 0; i < 4; i++)
        if (all[i].map->w.data) products[count++] = all[i];
    linear_products(pool, products, count, x, n, run->scratch);
    if (a->kv_back == 0 && (!a->v.w.data || a->v_norm.kind))
        pool_for(pool, n, ROWS, take_values, &(Rows){.a = a, .run = run});
}

/* A PoolTask: output gate and norm. */
static void finish_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Attention *a = t->a;
    size_t width = a->shape.heads * attention_value_dim(&a->shape),
           gates = a->gate.w.data ? a->gate.w.shape[0] : width,
           step = a->gate_in_q ? 2 * width : gates;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *mixed = t->run->mixed + i * width;
        const float *gate = t->run->gate + i * step;
        if (a->gate.w.data || a->gate_in_q)
            for (size_t k = 0; k < width; k++) mixed[k] /= 1 + expf(-gate[k / (width / gates)]);
        norm_apply(&a->sub_norm, mixed, mixed, width);
    }
}

void attention_forward(const Block *b, const Pass *p, const float *x, float *out) {
    const Attention *a = &b->attention;
    const size_t layer = p->layer - a->kv_back, n = p->batch->count;
    Pool *pool = p->run->pool;
    AttentionRun *run = &p->run->attention;
    Rows rows = {a, run, p->kv, layer, p->batch};
    project(pool, a, run, x, n);
    {
        PROFILE("keep");
        pool_for(pool, n, ROWS, place_rows, &rows);
    }
    if (run->probe) probe_queries(run->probe, &a->shape, run->q);
    attention_online(pool, &a->shape, p->kv, layer, p->batch, run->q, run->mixed);
    if (run->probe) {
        probe_weights(run->probe, &a->shape, p->kv, run->q);
        probe_heads(run->probe, &a->shape, run->mixed);
    }
    if (a->gate.w.data || a->gate_in_q || a->sub_norm.kind)
        pool_for(pool, n, ROWS, finish_rows, &rows);
    linear(pool, &a->o, run->mixed, n, out, run->scratch);
}
