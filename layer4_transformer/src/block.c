/* block.c - see block.h. */
#include "block.h"

#include <math.h>
#include <string.h>

void block_run_init(BlockRun *run, Pool *pool, size_t rows, const FfnSizes *ffn,
                    const AttentionShape *attn, size_t rotary, Arena *arena) {
    size_t wide = attn->heads * attn->head_dim, narrow = attn->kv_heads * attn->head_dim,
           dim = ffn->dim, f = sizeof(float);
    size_t branch = wide + 2 * narrow > dim ? wide + 2 * narrow : dim;
    *run = (BlockRun){.pool = pool, .rows = rows};
    run->normed = arena_take(arena, rows * dim, f);
    run->aside = arena_take(arena, rows * dim, f);
    run->q = arena_take(arena, rows * wide, f);
    run->k = arena_take(arena, rows * narrow, f);
    run->v = arena_take(arena, rows * narrow, f);
    run->mixed = arena_take(arena, rows * wide, f);
    run->branch = arena_take(arena, rows * branch, f); /* holds a fused q, k and v, too */
    run->scratch = arena_take(arena, matmul_weights_bytes(rows, wide > dim ? wide : dim), 1);
    ffn_run_init(&run->ffn, rows, ffn, arena);
    run->cosine = arena_take(arena, rows * (rotary / 2 + 1), f);
    run->sine = arena_take(arena, rows * (rotary / 2 + 1), f);
}

void norm_apply(NormKind kind, const Norm *norm, float *out, const float *x, size_t dim,
                float eps) {
    if (!norm->gain) {
        if (out != x) memcpy(out, x, dim * sizeof *x);
    } else if (kind == NORM_RMS) {
        rms_norm(out, x, norm->gain, dim, eps);
    } else {
        layer_norm(out, x, norm->gain, norm->bias, dim, eps);
    }
}

/* Rows of a batch, each for itself: threads share them. */
typedef struct Rows {
    const Block *b;
    const Norm *norm;
    float *out; /* (n, dim) */
    const float *x;
    float *sum; /* (n, dim): what out is added to */
    size_t dim;
    BlockRun *run;
    KvCache *kv;
    size_t layer;
    const Batch *batch;
} Rows;

enum { ROWS = 4 }; /* taken at a time */

static void norm_some(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        norm_apply(t->b->norm_kind, t->norm, t->out + i * t->dim, t->x + i * t->dim, t->dim,
                   t->b->eps);
}

static void norm_rows(const Block *b, Pool *pool, const Norm *norm, float *out, const float *x,
                      size_t n, size_t dim) {
    pool_for(pool, n, ROWS, norm_some,
             &(Rows){.b = b, .norm = norm, .out = out, .x = x, .dim = dim});
}

/* Rows of the stacked q, k and v, each to its own place. */
static void split_qkv(const Block *b, BlockRun *run, size_t n) {
    size_t wide = b->attn.heads * b->attn.head_dim,
           narrow = b->attn.kv_heads * b->attn.head_dim;
    for (size_t i = 0; i < n; i++) {
        const float *row = run->branch + i * (wide + 2 * narrow);
        memcpy(run->q + i * wide, row, wide * sizeof *row);
        memcpy(run->k + i * narrow, row + wide, narrow * sizeof *row);
        memcpy(run->v + i * narrow, row + wide + narrow, narrow * sizeof *row);
    }
}

static void project(const Block *b, BlockRun *run, size_t n) {
    if (b->qkv.w.data) {
        linear(run->pool, &b->qkv, run->normed, n, run->branch, run->scratch);
        split_qkv(b, run, n);
        return;
    }
    const Linear *maps[] = {&b->q, &b->k, &b->v};
    float *results[] = {run->q, run->k, run->v};
    linear_together(run->pool, 3, maps, run->normed, n, results, run->scratch);
}

/* Norm and rotation of the heads of one row. */
static void place_heads(const Block *b, const Norm *norm, float *row, size_t heads,
                        const float *cosine, const float *sine) {
    size_t hd = b->attn.head_dim;
    for (size_t h = 0; h < heads; h++) {
        if (norm->gain) norm_apply(b->norm_kind, norm, row + h * hd, row + h * hd, hd, b->eps);
        if (b->rope->style != ROPE_NONE) rope_rotate(b->rope, cosine, sine, row + h * hd);
    }
}

/* Queries and keys take their positions; keys and values go to memory. */
static void store_one(const Rows *t, size_t i) {
    const Block *b = t->b;
    BlockRun *run = t->run;
    size_t wide = b->attn.heads * b->attn.head_dim,
           narrow = b->attn.kv_heads * b->attn.head_dim, half = b->rope->rotary / 2,
           position = (size_t)t->batch->position[i];
    float *cosine = run->cosine + i * half, *sine = run->sine + i * half,
          *q = run->q + i * wide;
    if (b->rope->style != ROPE_NONE) rope_angles(b->rope, position, cosine, sine);
    place_heads(b, &b->q_norm, q, b->attn.heads, cosine, sine);
    place_heads(b, &b->k_norm, run->k + i * narrow, b->attn.kv_heads, cosine, sine);
    if (b->q_temperature > 0) {
        float grow =
            1 + b->q_temperature * logf(1 + floorf((float)position / b->temperature_ctx));
        for (size_t k = 0; k < wide; k++) q[k] *= grow;
    }
    kv_store(t->kv, t->layer, (size_t)t->batch->sequence[i], position, run->k + i * narrow,
             run->v + i * narrow);
}

static void store_some(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    for (size_t i = begin; i < end; i++) store_one(context, i);
}

static void store(const Block *b, BlockRun *run, KvCache *kv, size_t layer,
                  const Batch *batch) {
    Rows rows = {.b = b, .run = run, .kv = kv, .layer = layer, .batch = batch};
    pool_for(run->pool, batch->count, ROWS, store_some, &rows);
}

static void add_some(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    norm_some(context, worker, begin, end);
    axpy(t->sum + begin * t->dim, 1, t->out + begin * t->dim, (end - begin) * t->dim);
}

static void add_branch(const Block *b, const Norm *post, BlockRun *run, float *x, size_t n,
                       size_t dim) {
    Rows rows = {
        .b = b, .norm = post, .out = run->branch, .x = run->branch, .sum = x, .dim = dim};
    pool_for(run->pool, n, ROWS, add_some, &rows);
}

/* x += attention(norm(x)) */
static void attend(const Block *b, BlockRun *run, KvCache *kv, size_t layer, const Batch *batch,
                   float *x, size_t dim) {
    size_t n = batch->count;
    norm_rows(b, run->pool, &b->attn_norm, run->normed, x, n, dim);
    project(b, run, n);
    store(b, run, kv, layer, batch);
    attention_online(run->pool, &b->attn, kv, layer, n, batch->sequence, batch->position,
                     run->q, run->mixed);
    linear(run->pool, &b->o, run->mixed, n, run->branch, run->scratch);
    add_branch(b, &b->attn_post_norm, run, x, n, dim);
}

/* x += feed_forward(in) */
static void think(const Block *b, BlockRun *run, const float *in, size_t n, float *x,
                  size_t dim) {
    feed_forward(run->pool, &b->ffn, in, n, run->branch, &run->ffn);
    add_branch(b, &b->ffn_post_norm, run, x, n, dim);
}

void block_forward(const Block *b, BlockRun *run, KvCache *kv, size_t layer, const Batch *batch,
                   float *x, size_t dim) {
    REQUIRE(batch->count <= run->rows, "%zu tokens in working memory for %zu", batch->count,
            run->rows);
    size_t n = batch->count;
    if (b->parallel) { /* the second branch reads the x that came in; one norm may serve both */
        norm_rows(b, run->pool, b->ffn_norm.gain ? &b->ffn_norm : &b->attn_norm, run->aside, x,
                  n, dim);
        attend(b, run, kv, layer, batch, x, dim);
        think(b, run, run->aside, n, x, dim);
    } else {
        attend(b, run, kv, layer, batch, x, dim);
        norm_rows(b, run->pool, &b->ffn_norm, run->normed, x, n, dim);
        think(b, run, run->normed, n, x, dim);
    }
}
