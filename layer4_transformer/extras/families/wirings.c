/* wirings.c - see block_extras.h. */
#include "block_extras.h"

#include <string.h>

/* ------------------------------------------------------------------ working memory */

static void include_inputs(LayerInputSizes *s, const BlockPlan *plan, const LayerInput *input) {
    if (!input->gate.w.data) return;
    *s = (LayerInputSizes){plan->dim, plan->count, input->gate.w.shape[0]};
}

static void include_join(size_t *dim, size_t *wide, const BlockPlan *plan, const Join *join) {
    if (join->token_norm.kind) *dim = plan->dim, *wide = max_size(*wide, 2 * plan->dim);
    if (join->depths.w.data) *wide = max_size(*wide, join->depths.w.shape[1]);
}

void *wiring_open(const BlockPlan *plan) {
    LayerInputSizes inputs = {0};
    size_t rank = 0, streams = 0, join = 0, wide = 0, rows = plan->rows, dim = plan->dim;
    WiringRun spare = {.join.both = NULL};
    WiringRun *run = arena_take(plan->arena, 1, sizeof *run), *w = run ? run : &spare;
    for (const Block *b = plan->blocks; b < plan->blocks + plan->count; b++) {
        const BlockExtras *e = b->extras;
        if (!e) continue;
        if (e->laurel.left.w.data) rank = max_size(rank, e->laurel.left.w.shape[0]);
        streams = max_size(streams, e->altup.streams);
        include_inputs(&inputs, plan, &e->layer_input);
        include_join(&join, &wide, plan, &e->join);
    }
    laurel_run_init(&w->laurel, rows, dim, rank, plan->arena);
    layer_input_run_init(&w->layer_input, rows, &inputs, plan->arena);
    altup_run_init(&w->altup, rows, dim, streams, plan->arena);
    join_run_init(&w->join, rows, join, wide, plan->arena);
    return run;
}

static WiringRun *wirings_memory_of(const Pass *p) { return block_memory(p->run, wiring_open); }

/* ------------------------------------------------------------------ the wirings */

/* x += network(norm'(x)) */
static void feed_normed(const Block *b, const Pass *p, float *x) {
    block_norm(p, &b->ffn_norm, p->run->normed, x);
    block_feed(b, p, p->run->normed, x);
}

static void norm_after(const Block *b, const Pass *p, float *x) {
    const Norm *second = &b->extras->attn_norm_2;
    size_t numbers = p->batch->count * p->dim;
    if (second->kind) memcpy(p->run->tmp, x, numbers * sizeof *x);
    block_mix(b, p, x, x);
    block_norm(p, &b->attn_norm, x, x);
    if (second->kind) {
        axpy(x, 1, p->run->tmp, numbers);
        block_norm(p, second, x, x);
    }
    block_feed(b, p, x, x);
    block_norm(p, &b->ffn_norm, x, x);
}

static void with_laurel(const Block *b, const Pass *p, float *x) {
    block_norm(p, &b->attn_norm, p->run->normed, x);
    block_mix(b, p, p->run->normed, x);
    laurel_forward(p->run->pool, &b->extras->laurel, &wirings_memory_of(p)->laurel,
                   p->run->normed, p->batch->count, x);
    feed_normed(b, p, x);
}

/* Cross attention comes between attention and the network. */
static void with_cross(const Block *b, const Pass *p, float *x) {
    const Cross *cross = &b->extras->cross;
    block_norm(p, &b->attn_norm, p->run->normed, x);
    block_mix(b, p, p->run->normed, x);
    block_norm(p, &cross->norm, p->run->normed, x);
    cross_forward(p->run->pool, cross, &p->run->attention, p->kv, p->layer, p->batch,
                  p->run->normed, p->run->branch);
    block_add(b, &(Norm){.kind = NORM_NONE}, p, x);
    feed_normed(b, p, x);
}

static void include_cross(BlockSizes *sizes, const Block *b) {
    const Attention *a = &b->extras->cross.attention;
    attention_require_bare(a, "cross attention");
    REQUIRE(a->shape.cross && !a->rope && !a->kv_back && !(a->q_temperature > 0),
            "cross attention has no mask, positions or kv_back");
    attention_sizes_include(&sizes->attention, a);
}

/* x += norm(network(norm'(x)) + experts(x)); both have norms of their own */
static void beside(const Block *b, const Pass *p, float *x) {
    const BlockExtras *e = b->extras;
    BlockRun *run = p->run;
    const size_t n = p->batch->count;
    block_norm(p, &b->attn_norm, run->normed, x);
    block_mix(b, p, run->normed, x);
    block_norm(p, &b->ffn_norm, run->normed, x);
    dense_part.forward(b, p, run->normed, run->branch);
    block_norm(p, &e->network_post_norm, run->branch, run->branch);
    moe_forward(run->pool, &b->ffn, &e->experts, x, n, run->tmp,
                block_memory(run, experts_open));
    block_norm(p, &e->experts_post_norm, run->tmp, run->tmp);
    axpy(run->branch, 1, run->tmp, n * p->dim);
    block_add(b, &b->ffn_post_norm, p, x);
}

/* The experts read what came into the block: they need not wait for attention (Snowflake 2024,
 * Arctic). */
static void ahead(const Block *b, const Pass *p, float *x) {
    BlockRun *run = p->run;
    block_norm(p, &b->extras->ahead_norm, run->tmp, x);
    block_norm(p, &b->attn_norm, run->normed, x);
    block_mix(b, p, run->normed, x);
    block_norm(p, &b->ffn_norm, run->normed, x);
    dense_part.forward(b, p, run->normed, run->branch);
    block_add(b, &b->ffn_post_norm, p, x);
    block_feed(b, p, run->tmp, x);
}

/* The router reads what came into the block, so that the chosen experts can be fetched while
 * attention is computed (Song et al. 2025, arXiv:2507.20984). */
static void chosen_ahead(const Block *b, const Pass *p, float *x) {
    moe_route(p->run->pool, &b->extras->experts.router, x, p->batch->count,
              block_memory(p->run, experts_open));
    sequential_wiring.forward(b, p, x);
}

static void include_beside(BlockSizes *sizes, const Block *b) { dense_part.include(sizes, b); }

/* Attention reads the join's [token | x]. */
static void joined(const Block *b, const Pass *p, float *x) {
    block_mix(b, p, wirings_memory_of(p)->join.both, x);
    feed_normed(b, p, x);
}

/* x += gain * the branch (layer scale: Touvron et al. 2021, arXiv:2103.17239). */
static void add_scaled(const Block *b, const Pass *p, const float *gain, float *x) {
    float *branch = p->run->branch;
    for (size_t i = 0; i < p->batch->count * p->dim; i++) branch[i] *= gain[i % p->dim];
    block_add(b, &(Norm){.kind = NORM_NONE}, p, x);
}

static void scaled(const Block *b, const Pass *p, float *x) {
    BlockRun *run = p->run;
    block_norm(p, &b->attn_norm, run->normed, x);
    b->mixer[0]->forward(b, p, run->normed, run->branch);
    add_scaled(b, p, b->extras->branch_gains[0], x);
    block_norm(p, &b->ffn_norm, run->normed, x);
    b->network->forward(b, p, run->normed, run->branch);
    add_scaled(b, p, b->extras->branch_gains[1], x);
}

/* Add the layer's input to x; with AltUp to all parts but the first, which gates it, scaled. */
static void add_layer_input(const Block *b, const Pass *p, float *x) {
    const AltUp *altup = &b->extras->altup;
    const size_t n = p->batch->count, dim = p->dim, streams = altup->streams;
    float *normed = p->run->normed;
    for (size_t i = 0; streams && i < n * dim; i++) normed[i] = x[i] * altup->scale[i % dim];
    layer_input_forward(p->run->pool, &b->extras->layer_input,
                        &wirings_memory_of(p)->layer_input, p->layer, streams ? normed : x, n,
                        p->run->branch);
    for (size_t s = streams ? 1 : 0; s < (streams ? streams : 1); s++)
        axpy(x + s * n * dim, 1, p->run->branch, n * dim);
}

/* x (streams, count, dim) with AltUp. */
static void extended(const Block *b, const Pass *p, float *x) {
    const BlockExtras *e = b->extras;
    const size_t n = p->batch->count, dim = p->dim;
    AltUpRun *altup = &wirings_memory_of(p)->altup;
    if (e->altup.streams) altup_predict(p->run->pool, &e->altup, altup, x, n, dim);
    e->inner->forward(b, p, x);
    if (e->altup.streams) altup_correct(p->run->pool, &e->altup, altup, x, n, dim);
    if (e->layer_input.gate.w.data) add_layer_input(b, p, x);
    for (size_t i = 0; e->output_scale && i < n * dim; i++) x[i] *= *e->output_scale;
}

static void include_inner(BlockSizes *sizes, const Block *b) {
    if (b->extras->inner->include) b->extras->inner->include(sizes, b);
}

const Wiring after_wiring = {.name = "norm after", .forward = norm_after},
             laurel_wiring = {"laurel", with_laurel, NULL, wiring_open},
             joined_wiring = {"joined", joined, NULL, wiring_open},
             scaled_wiring = {.name = "scaled", .forward = scaled};
static const Wiring cross_wiring = {"cross attention", with_cross, include_cross, NULL},
                    beside_wiring = {"experts beside", beside, include_beside, NULL},
                    ahead_wiring = {"experts ahead", ahead, include_beside, NULL},
                    chosen_wiring = {"router ahead", chosen_ahead, NULL, NULL},
                    extended_wiring = {"extended", extended, include_inner, wiring_open};

/* A token's row by one map, without earlier tokens. */
static void mix_by_map(const Block *b, const Pass *p, const float *in, float *out) {
    linear(p->run->pool, &b->attention.o, in, p->batch->count, out, p->run->scratch);
}

static const PartKind map_part = {.name = "map", .forward = mix_by_map};

/* ------------------------------------------------------------------ which parts a block has */

static const PartKind *recurrent_kind(const BlockExtras *e) {
    if (e->short_conv.in.w.data) return &short_conv_part;
    if (e->delta.out.w.data) return &delta_part;
    if (e->rwkv.out.w.data) return e->rwkv.six.gate.w.data ? &rwkv6_part : &rwkv_part;
    if (!e->mamba.in.w.data) return NULL;
    return e->mamba.x.w.data ? &mamba_part : &mamba2_part;
}

static const PartKind *network_kind(const Block *b) {
    if (b->extras->experts.router.map.w.data) return &experts_part;
    if (b->extras->rwkv.channel_up.w.data) return &rwkv_channel_part;
    return b->ffn.net.up.w.data ? &dense_part : NULL;
}

void block_choose(Block *b, const Wiring *usual) {
    BlockExtras *e = b->extras;
    const PartKind *recurrent = recurrent_kind(e);
    size_t mixers = 0;
    if (b->attention.o.w.data)
        b->mixer[mixers++] = e->mla.kv_a.w.data         ? &mla_part
                             : b->attention.shape.heads ? &attention_part
                                                        : &map_part;
    if (recurrent) b->mixer[mixers] = recurrent;
    b->network = network_kind(b);
    b->wiring = e->cross.attention.o.w.data ? &cross_wiring
                : e->network_post_norm.kind ? &beside_wiring
                : e->ahead_norm.kind        ? &ahead_wiring
                : e->experts.router.ahead   ? &chosen_wiring
                                            : usual;
    bool joins = e->join.token_norm.kind && b->wiring != &joined_wiring; /* needs its memory */
    if (!e->altup.streams && !e->layer_input.gate.w.data && !e->output_scale && !joins) return;
    e->inner = b->wiring, b->wiring = &extended_wiring;
}
