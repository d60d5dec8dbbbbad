/* block.c - see block.h. */
#include "block.h"

#include <string.h>

enum { ROWS = 4 }; /* taken at a time by a thread */

static bool has_attention(const Block *b) { return b->attention.o.w.data; }
static bool has_cross(const Block *b) { return b->cross.attention.o.w.data; }

void block_sizes_include(BlockSizes *s, const Block *b, size_t dim) {
    if (dim > s->dim) s->dim = dim;
    if (has_attention(b)) attention_sizes_include(&s->attention, &b->attention);
    if (has_cross(b)) attention_sizes_include(&s->attention, &b->cross.attention);
    mla_sizes_include(&s->mla, &s->attention, &b->attention, &b->mla);
    mamba_sizes_include(&s->mamba, &b->mamba);
    delta_sizes_include(&s->delta, &b->delta);
    rwkv_sizes_include(&s->rwkv, &b->rwkv);
    if (b->short_conv.in.w.data && dim > s->short_conv) s->short_conv = dim;
    ffn_sizes_include(&s->ffn, &b->ffn);
    if (b->join.token_norm.kind) s->join = dim, s->join_wide = max_size(s->join_wide, 2 * dim);
    if (b->join.depths.w.data) s->join_wide = max_size(s->join_wide, b->join.depths.w.shape[1]);
    s->streams = max_size(s->streams, b->altup.streams);
    if (b->laurel.left.w.data) s->laurel = max_size(s->laurel, b->laurel.left.w.shape[0]);
}

size_t block_state(const Block *b) {
    if (b->mamba.in.w.data) return mamba_state(&b->mamba);
    if (b->delta.out.w.data) return delta_state(&b->delta);
    if (b->rwkv.out.w.data) return rwkv_state(&b->rwkv);
    return b->short_conv.in.w.data ? short_conv_state(&b->short_conv.conv) : 0;
}

void block_run_init(BlockRun *run, Pool *pool, size_t rows, const BlockSizes *s, Arena *arena) {
    size_t dim = s->dim, f = sizeof(float);
    *run = (BlockRun){.pool = pool, .rows = rows};
    run->normed = arena_take(arena, rows * dim, f);
    run->aside = arena_take(arena, rows * dim, f);
    run->branch = arena_take(arena, rows * dim, f);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows, dim), 1);
    attention_run_init(&run->attention, rows, &s->attention, arena);
    mla_run_init(&run->mla, pool, rows, &s->mla, arena);
    mamba_run_init(&run->mamba, rows, &s->mamba, arena);
    delta_run_init(&run->delta, rows, &s->delta, arena);
    rwkv_run_init(&run->rwkv, rows, &s->rwkv, arena);
    short_conv_run_init(&run->short_conv, rows, s->short_conv, arena);
    ffn_run_init(&run->ffn, rows, &s->ffn, arena);
    laurel_run_init(&run->laurel, rows, dim, s->laurel, arena);
    layer_input_run_init(&run->layer_input, rows, &s->layer_input, arena);
    altup_run_init(&run->altup, rows, dim, s->streams, arena);
    join_run_init(&run->join, rows, s->join, s->join_wide, arena);
}

/* Rows of a batch, each by itself: threads share them. */
typedef struct Rows {
    const Norm *norm;
    float *out;     /* (n, dim) */
    const float *x; /* (n, dim) */
    size_t dim;
    float *sum; /* (n, dim) what scale * out is added to; NULL: nothing */
    float scale;
} Rows;

static void norm_some(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        norm_apply(t->norm, t->out + i * t->dim, t->x + i * t->dim, t->dim);
}

static void add_some(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    norm_some(context, worker, begin, end);
    axpy(t->sum + begin * t->dim, t->scale, t->out + begin * t->dim, (end - begin) * t->dim);
}

static void norm_rows(Pool *pool, const Norm *norm, float *out, const float *x, size_t n,
                      size_t dim) {
    PROFILE("norm");
    pool_for(pool, n, ROWS, norm_some, &(Rows){.norm = norm, .out = out, .x = x, .dim = dim});
}

/* x += scale * norm(branch) */
static void add_branch(const Block *b, const Norm *norm, BlockRun *run, float *x, size_t n,
                       size_t dim) {
    PROFILE("add");
    float scale = b->residual_scale > 0 ? b->residual_scale : 1;
    if (run->probe) scale *= probe_branch_scale(run->probe);
    Rows rows = {.norm = norm,
                 .out = run->branch,
                 .x = run->branch,
                 .dim = dim,
                 .sum = x,
                 .scale = scale};
    pool_for(run->pool, n, ROWS, add_some, &rows);
}

/* x += attention(in) */
static void attend(const Block *b, BlockRun *run, KvCache *kv, size_t layer, const Batch *batch,
                   const float *in, float *x, size_t dim) {
    if (b->mla.kv_a.w.data)
        mla_forward(run->pool, &b->attention, &b->mla, &run->attention, &run->mla, kv, layer,
                    batch, in, run->branch);
    else
        attention_forward(run->pool, &b->attention, &run->attention, kv, layer, batch, in,
                          run->branch);
    add_branch(b, &b->attn_post_norm, run, x, batch->count, dim);
}

/* x += the recurrent mixer(in) */
static void recur(const Block *b, BlockRun *run, KvCache *kv, size_t layer, const Batch *batch,
                  const float *in, float *x, size_t dim) {
    if (b->short_conv.in.w.data)
        short_conv_forward(run->pool, &b->short_conv, &run->short_conv, kv, layer, batch, in,
                           run->branch);
    else if (b->delta.out.w.data)
        delta_forward(run->pool, &b->delta, &run->delta, kv, layer, batch, in, run->branch);
    else if (b->rwkv.out.w.data)
        rwkv_time_mix(run->pool, &b->rwkv, &run->rwkv, kv, layer, batch, in, run->branch);
    else if (b->mamba.x.w.data)
        mamba_forward(run->pool, &b->mamba, &run->mamba, kv, layer, batch, in, run->branch);
    else
        mamba2_forward(run->pool, &b->mamba, &run->mamba, kv, layer, batch, in, run->branch);
    add_branch(b, &b->attn_post_norm, run, x, batch->count, dim);
}

/* x += the channel mix(norm(x)): the feed-forward of a family whose networks remember, too */
static void mix_channels(const Block *b, BlockRun *run, KvCache *kv, size_t layer,
                         const Batch *batch, float *x, size_t dim) {
    norm_rows(run->pool, &b->rwkv.channel_norm, run->aside, x, batch->count, dim);
    rwkv_channel_mix(run->pool, &b->rwkv, &run->rwkv, kv, layer, batch, run->aside,
                     run->branch);
    add_branch(b, &b->ffn_post_norm, run, x, batch->count, dim);
}

static void mix(const Block *b, BlockRun *run, KvCache *kv, size_t layer, const Batch *batch,
                const float *in, float *x, size_t dim) {
    PROFILE("mixer");
    if (has_attention(b)) attend(b, run, kv, layer - b->attention.back, batch, in, x, dim);
    if (block_state(b)) recur(b, run, kv, layer, batch, in, x, dim);
    if (b->rwkv.out.w.data) mix_channels(b, run, kv, layer, batch, x, dim);
    if (run->probe) probe_stream(run->probe, PROBE_MIXED, x, dim);
}

/* x += feed_forward(in) */
static void feed_forward(const Block *b, BlockRun *run, const float *in, size_t n, float *x,
                         size_t dim) {
    if (!b->ffn.net.up.w.data && !b->ffn.router.map.w.data) return; /* a mixer alone */
    if (b->ffn.router.map.w.data)
        moe_forward(run->pool, &b->ffn, in, n, run->branch, &run->ffn);
    else
        dense_forward(run->pool, &b->ffn, &b->ffn.net, in, n, run->branch, &run->ffn);
    add_branch(b, &b->ffn_post_norm, run, x, n, dim);
}

/* x += cross attention(norm(x)) */
static void look_at_source(const Block *b, BlockRun *run, KvCache *kv, size_t layer,
                           const Batch *batch, float *x, size_t dim) {
    norm_rows(run->pool, &b->cross.norm, run->normed, x, batch->count, dim);
    cross_forward(run->pool, &b->cross, &run->attention, kv, layer, batch, run->normed,
                  run->branch);
    add_branch(b, &(Norm){.kind = NORM_NONE}, run, x, batch->count, dim);
}

/* x += attention(norm(x)), then x += feed_forward(norm'(x)); between them what a source has to say */
static void sequential(const Block *b, BlockRun *run, KvCache *kv, size_t layer,
                       const Batch *batch, float *x, size_t dim) {
    norm_rows(run->pool, &b->attn_norm, run->normed, x, batch->count, dim);
    mix(b, run, kv, layer, batch, run->normed, x, dim);
    if (has_cross(b)) look_at_source(b, run, kv, layer, batch, x, dim);
    norm_rows(run->pool, &b->ffn_norm, run->normed, x, batch->count, dim);
    feed_forward(b, run, run->normed, batch->count, x, dim);
}

/* Both branches read the x that came in; one norm may serve both. */
static void parallel(const Block *b, BlockRun *run, KvCache *kv, size_t layer,
                     const Batch *batch, float *x, size_t dim) {
    const float *second = b->ffn_norm.kind ? run->aside : run->normed;
    norm_rows(run->pool, &b->attn_norm, run->normed, x, batch->count, dim);
    if (b->ffn_norm.kind) norm_rows(run->pool, &b->ffn_norm, run->aside, x, batch->count, dim);
    mix(b, run, kv, layer, batch, run->normed, x, dim);
    feed_forward(b, run, second, batch->count, x, dim);
}

static void norm_after(const Block *b, BlockRun *run, KvCache *kv, size_t layer,
                       const Batch *batch, float *x, size_t dim) {
    size_t n = batch->count;
    if (b->attn_norm_2.kind) memcpy(run->aside, x, n * dim * sizeof *x);
    mix(b, run, kv, layer, batch, x, x, dim);
    norm_rows(run->pool, &b->attn_norm, x, x, n, dim);
    if (b->attn_norm_2.kind) {
        axpy(x, 1, run->aside, n * dim);
        norm_rows(run->pool, &b->attn_norm_2, x, x, n, dim);
    }
    feed_forward(b, run, x, batch->count, x, dim);
    norm_rows(run->pool, &b->ffn_norm, x, x, batch->count, dim);
}

static void with_laurel(const Block *b, BlockRun *run, KvCache *kv, size_t layer,
                        const Batch *batch, float *x, size_t dim) {
    size_t n = batch->count;
    norm_rows(run->pool, &b->attn_norm, run->normed, x, n, dim);
    mix(b, run, kv, layer, batch, run->normed, x, dim);
    laurel_forward(run->pool, &b->laurel, &run->laurel, run->normed, n, x);
    norm_rows(run->pool, &b->ffn_norm, run->normed, x, n, dim);
    feed_forward(b, run, run->normed, n, x, dim);
}

/* x += norm(network(norm'(x)) + experts(x)), each of which has norms of its own */
static void both_networks(const Block *b, BlockRun *run, size_t n, float *x, size_t dim) {
    norm_rows(run->pool, &b->ffn_norm, run->normed, x, n, dim);
    run->ffn.probe = run->probe; /* this network has neurons */
    dense_forward(run->pool, &b->ffn, &b->ffn.net, run->normed, n, run->branch, &run->ffn);
    run->ffn.probe = NULL;
    norm_rows(run->pool, &b->network_post_norm, run->branch, run->branch, n, dim);
    moe_forward(run->pool, &b->ffn, x, n, run->aside, &run->ffn);
    norm_rows(run->pool, &b->experts_post_norm, run->aside, run->aside, n, dim);
    axpy(run->branch, 1, run->aside, n * dim);
    add_branch(b, &b->ffn_post_norm, run, x, n, dim);
}

static void beside(const Block *b, BlockRun *run, KvCache *kv, size_t layer, const Batch *batch,
                   float *x, size_t dim) {
    norm_rows(run->pool, &b->attn_norm, run->normed, x, batch->count, dim);
    mix(b, run, kv, layer, batch, run->normed, x, dim);
    both_networks(b, run, batch->count, x, dim);
}

/* Attention reads what the join made, the token beside x. */
static void joined(const Block *b, BlockRun *run, KvCache *kv, size_t layer, const Batch *batch,
                   float *x, size_t dim) {
    mix(b, run, kv, layer, batch, run->join.both, x, dim);
    norm_rows(run->pool, &b->ffn_norm, run->normed, x, batch->count, dim);
    feed_forward(b, run, run->normed, batch->count, x, dim);
}

/* A block's own input goes to x; of a stream in parts to all but the first, which it reads scaled. */
static void add_layer_input(const Block *b, BlockRun *run, size_t layer, size_t n, float *x,
                            size_t dim) {
    const size_t streams = b->altup.streams;
    if (streams)
        for (size_t i = 0; i < n * dim; i++) run->normed[i] = x[i] * b->altup.scale[i % dim];
    layer_input_forward(run->pool, &b->layer_input, &run->layer_input, layer,
                        streams ? run->normed : x, n, run->branch);
    for (size_t s = streams ? 1 : 0; s < (streams ? streams : 1); s++)
        axpy(x + s * n * dim, 1, run->branch, n * dim);
}

/* Whoever looks is told where the pass is; experts have no neurons that could be counted through. */
static void watch(const Block *b, BlockRun *run, size_t layer, const Batch *batch) {
    run->attention.probe = run->probe;
    run->ffn.probe = b->ffn.router.map.w.data ? NULL : run->probe;
    if (!run->probe) return;
    probe_enter(run->probe, layer, batch);
    run->probe->kept = layer - b->attention.back;
}

/* By its wiring. */
static void run_branches(const Block *b, BlockRun *run, KvCache *kv, size_t layer,
                         const Batch *batch, float *x, size_t dim) {
    switch (b->wiring) {
    case WIRING_SEQUENTIAL: sequential(b, run, kv, layer, batch, x, dim); break;
    case WIRING_PARALLEL: parallel(b, run, kv, layer, batch, x, dim); break;
    case WIRING_NORM_AFTER: norm_after(b, run, kv, layer, batch, x, dim); break;
    case WIRING_LAUREL: with_laurel(b, run, kv, layer, batch, x, dim); break;
    case WIRING_BESIDE: beside(b, run, kv, layer, batch, x, dim); break;
    case WIRING_JOINED: joined(b, run, kv, layer, batch, x, dim); break;
    }
}

void block_forward(const Block *b, BlockRun *run, KvCache *kv, size_t layer, const Batch *batch,
                   float *x, size_t dim) {
    size_t n = batch->count;
    REQUIRE(batch->count <= run->rows, "%zu tokens in working memory for %zu", batch->count,
            run->rows);
    watch(b, run, layer, batch);
    if (b->altup.streams) altup_predict(run->pool, &b->altup, &run->altup, x, n, dim);
    run_branches(b, run, kv, layer, batch, x, dim);
    if (b->altup.streams) altup_correct(run->pool, &b->altup, &run->altup, x, n, dim);
    if (b->layer_input.gate.w.data) add_layer_input(b, run, layer, n, x, dim);
    for (size_t i = 0; b->output_scale && i < n * dim; i++) x[i] *= *b->output_scale;
    if (run->probe) probe_stream(run->probe, PROBE_AFTER, x, dim);
}
