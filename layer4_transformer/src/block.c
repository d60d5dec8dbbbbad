/* block.c - see block.h. */
#include "block.h"

enum { ROWS = 4 }; /* rows per task */

/* ------------------------------------------------------------------ working memory */

size_t block_state(const Block *b) {
    size_t numbers = 0;
    for (size_t i = 0; i < BLOCK_MIXERS && b->mixer[i]; i++)
        if (b->mixer[i]->state) numbers += b->mixer[i]->state(b);
    return numbers;
}

static void include_block(BlockSizes *sizes, const Block *b) {
    for (size_t i = 0; i < BLOCK_MIXERS && b->mixer[i]; i++)
        if (b->mixer[i]->include) b->mixer[i]->include(sizes, b);
    if (b->network && b->network->include) b->network->include(sizes, b);
    if (b->wiring->include) b->wiring->include(sizes, b);
}

/* Kinds that open the same memory share it. */
static void open_own(BlockRun *run, const BlockPlan *plan, OpenMemory *open) {
    for (size_t i = 0; i < run->owns; i++)
        if (run->own[i].open == open) return;
    if (!open) return;
    REQUIRE(run->owns < BLOCK_KINDS, "%zu kinds with memory of their own", run->owns + 1);
    run->own[run->owns].open = open;
    run->own[run->owns++].memory = open(plan);
}

void *block_memory(const BlockRun *run, OpenMemory *open) {
    size_t i = 0;
    while (i < run->owns && run->own[i].open != open) i++;
    REQUIRE(i < run->owns, "no block has the kind whose memory this is");
    return run->own[i].memory;
}

void block_run_init(BlockRun *run, const BlockPlan *plan) {
    const size_t rows = plan->rows, dim = plan->dim, f = sizeof(float);
    BlockSizes sizes = {0};
    *run = (BlockRun){.pool = plan->pool, .rows = rows};
    for (size_t i = 0; i < plan->count; i++) include_block(&sizes, &plan->blocks[i]);
    run->normed = arena_take(plan->arena, rows * dim, f);
    run->tmp = arena_take(plan->arena, rows * dim, f);
    run->branch = arena_take(plan->arena, rows * dim, f);
    run->scratch = arena_take(plan->arena, linear_scratch_bytes(rows, dim), 1);
    attention_run_init(&run->attention, rows, &sizes.attention, plan->arena);
    ffn_run_init(&run->ffn, rows, &sizes.ffn, plan->arena);
    for (const Block *b = plan->blocks; b < plan->blocks + plan->count; b++) {
        for (size_t i = 0; i < BLOCK_MIXERS && b->mixer[i]; i++)
            open_own(run, plan, b->mixer[i]->open);
        if (b->network) open_own(run, plan, b->network->open);
        open_own(run, plan, b->wiring->open);
    }
}

/* ------------------------------------------------------------------ norms and sums */

void block_norm(const Pass *p, const Norm *norm, float *out, const float *x) {
    PROFILE("norm");
    norm_apply_rows(p->run->pool, norm, out, x, p->batch->count, p->dim);
}

/* x (n, dim) += scale * norm(branch) */
typedef struct AddRows {
    const Norm *norm;
    float *branch, *x; /* (n, dim) */
    size_t dim;
    float scale;
} AddRows;

static void add_some(void *context, int worker, size_t begin, size_t end) {
    const AddRows *t = context;
    (void)worker;
    for (float *row = t->branch + begin * t->dim; row < t->branch + end * t->dim; row += t->dim)
        norm_apply(t->norm, row, row, t->dim);
    axpy(t->x + begin * t->dim, t->scale, t->branch + begin * t->dim, (end - begin) * t->dim);
}

void block_add(const Block *b, const Norm *norm, const Pass *p, float *x) {
    PROFILE("add");
    float scale = b->residual_scale != 0 ? b->residual_scale : 1;
    if (p->run->probe) scale *= probe_branch_scale(p->run->probe);
    AddRows rows = {norm, p->run->branch, x, p->dim, scale};
    pool_for(p->run->pool, p->batch->count, ROWS, add_some, &rows);
}

/* ------------------------------------------------------------------ parts and wirings */

void block_mix(const Block *b, const Pass *p, const float *in, float *x) {
    PROFILE("mixer");
    for (size_t i = 0; i < BLOCK_MIXERS && b->mixer[i]; i++) {
        b->mixer[i]->forward(b, p, in, p->run->branch);
        block_add(b, &b->attn_post_norm, p, x);
    }
    if (p->run->probe) probe_stream(p->run->probe, PROBE_MIXED, x, p->dim);
}

void block_feed(const Block *b, const Pass *p, const float *in, float *x) {
    if (!b->network) return;
    b->network->forward(b, p, in, p->run->branch);
    block_add(b, &b->ffn_post_norm, p, x);
}

/* x += mixer(norm(x)), then x += network(norm'(x)) */
static void sequential(const Block *b, const Pass *p, float *x) {
    float *normed = p->run->normed;
    block_norm(p, &b->attn_norm, normed, x);
    block_mix(b, p, normed, x);
    block_norm(p, &b->ffn_norm, normed, x);
    block_feed(b, p, normed, x);
}

/* Both branches read the old x; one norm may serve both. */
static void parallel(const Block *b, const Pass *p, float *x) {
    float *first = p->run->normed, *second = b->ffn_norm.kind ? p->run->tmp : first;
    block_norm(p, &b->attn_norm, first, x);
    if (b->ffn_norm.kind) block_norm(p, &b->ffn_norm, second, x);
    block_mix(b, p, first, x);
    block_feed(b, p, second, x);
}

const Wiring sequential_wiring = {.name = "sequential", .forward = sequential},
             parallel_wiring = {.name = "parallel", .forward = parallel};

static void include_attention(BlockSizes *sizes, const Block *b) {
    attention_check(&b->attention);
    attention_sizes_include(&sizes->attention, &b->attention);
}

static void feed_forward(const Block *b, const Pass *p, const float *in, float *out) {
    const bool *read = p->run->read; /* to other rows the network adds 0 */
    size_t n = p->batch->count, some = read ? rows_gather(out, in, read, n, p->dim) : n;
    dense_forward(p->run->pool, &b->ffn, &b->ffn.net, read ? out : in, some, out, &p->run->ffn);
    if (read) rows_spread(out, read, n, p->dim);
}

static void include_network(BlockSizes *sizes, const Block *b) {
    const Network *net = &b->ffn.net;
    size_t hidden = net->up.w.shape[0], gates = b->ffn.gated ? hidden : 0;
    REQUIRE(net->gate.w.shape[0] == gates && net->down.w.shape[1] == hidden,
            "a network of %zu gates, %zu numbers up and %zu down", net->gate.w.shape[0], hidden,
            net->down.w.shape[1]);
    ffn_sizes_include(&sizes->ffn, net);
}

const PartKind attention_part = {"attention", attention_forward, NULL, include_attention, NULL},
               dense_part = {"dense", feed_forward, NULL, include_network, NULL};

void block_forward(const Block *b, const Pass *p, float *x) {
    Probe *probe = p->run->probe;
    REQUIRE(p->batch->count <= p->run->rows, "%zu tokens in working memory for %zu",
            p->batch->count, p->run->rows);
    p->run->attention.probe = p->run->ffn.probe = probe;
    if (probe) {
        probe_enter(probe, p->layer, p->batch);
        probe->kv_layer = p->layer - b->attention.kv_back; /* of the cache that is read */
    }
    b->wiring->forward(b, p, x);
    if (probe) probe_stream(probe, PROBE_AFTER, x, p->dim);
}
