/* moe.c - see moe.h; how a token's experts are chosen: router.c. */
#include "block_extras.h"

#include <math.h>
#include <string.h>

void experts_sizes_include(ExpertsSizes *s, const Experts *e) {
    if (!e->router.map.w.data) return;
    s->dim = max_size(s->dim, e->router.map.w.shape[1]);
    s->experts = max_size(s->experts, e->router.map.w.shape[0]);
    s->used = max_size(s->used, e->router.used);
    s->hidden = max_size(s->hidden, e->net.up.w.shape[1]);
    if (e->adjugates.up.w.data) s->hidden = max_size(s->hidden, e->adjugates.up.w.shape[1]);
    if (e->shared.up.w.data) s->shared = max_size(s->shared, e->shared.up.w.shape[0]);
    if (e->latent_down.w.data) s->latent = max_size(s->latent, e->latent_down.w.shape[0]);
}

/* The shared network has a row for each token, the experts one for each choice. */
static void init_network(FfnRun *net, size_t tokens, const ExpertsSizes *s, Arena *arena) {
    size_t rows = tokens * s->used, wide = max_size(tokens * s->shared, rows * s->hidden),
           in = max_size(max_size(s->dim, s->latent), max_size(s->shared, s->hidden));
    *net = (FfnRun){.a = arena_take(arena, wide, sizeof *net->a)};
    net->b = arena_take(arena, wide, sizeof *net->b);
    net->scratch = arena_take(arena, linear_scratch_bytes(max_size(tokens, rows), in), 1);
}

void experts_run_init(ExpertsRun *run, size_t tokens, const ExpertsSizes *s, Arena *arena) {
    size_t rows = tokens * s->used, f = sizeof(float);
    init_network(&run->net, tokens, s, arena);
    run->scores = arena_take(arena, tokens * s->experts, f);
    run->choice = arena_take(arena, rows, sizeof *run->choice);
    run->first = arena_take(arena, s->experts + 1, sizeof *run->first);
    run->rows = arena_take(arena, rows * max_size(s->dim, s->latent), f);
    run->latent = arena_take(arena, tokens * s->latent, f);
    run->maps = arena_take(arena, 2 * s->experts, sizeof *run->maps);
    run->products = arena_take(arena, 2 * s->experts, sizeof *run->products);
}

/* Give every choice of n tokens its row: those of expert e are first[e] .. first[e + 1] - 1. */
static void group_by_expert(const Experts *e, const float *x, size_t n, ExpertsRun *run) {
    size_t experts = e->net.up.w.shape[0], dim = e->net.up.w.shape[2], used = e->router.used,
           next[MOE_EXPERTS];
    memset(run->first, 0, (experts + 1) * sizeof *run->first);
    for (size_t i = 0; i < n * used; i++) run->first[run->choice[i].expert + 1]++;
    for (size_t k = 0; k < experts; k++) run->first[k + 1] += run->first[k];
    memcpy(next, run->first, experts * sizeof *next);
    for (size_t i = 0; i < n * used; i++) {
        run->choice[i].row = next[run->choice[i].expert]++;
        norm_apply(&e->norm, run->rows + run->choice[i].row * dim, x + i / used * dim, dim);
    }
}

/* Scale the experts' inputs by the router weights, then set those to 1. */
static void weight_inputs(size_t count, size_t dim, ExpertsRun *run) {
    for (size_t i = 0; i < count; i++) {
        float *row = run->rows + run->choice[i].row * dim;
        for (size_t k = 0; k < dim; k++) row[k] *= run->choice[i].weight;
        run->choice[i].weight = 1;
    }
}

/* Append each expert's product with its rows to the list; returns the list's length. */
static size_t add_products(const Linear *stack, float *y, size_t count, ExpertsRun *run) {
    for (size_t e = 0; e < stack->w.shape[0]; e++) {
        size_t first = run->first[e], n = run->first[e + 1] - first;
        if (n == 0) continue;
        run->maps[count] = linear_of_stack(stack, e);
        run->products[count] =
            (LinearProduct){&run->maps[count], first, n, y + first * stack->w.shape[1]};
        count++;
    }
    return count;
}

static void run_experts(Pool *pool, const FeedForward *f, const Experts *e, size_t rows,
                        ExpertsRun *run) {
    FfnRun *net = &run->net;
    size_t count = add_products(&e->net.up, net->b, 0, run);
    if (f->gated) count = add_products(&e->net.gate, net->a, count, run);
    linear_products(pool, run->products, count, run->rows, rows, net->scratch);
    activate_rows(pool, f, e->limit, rows, e->net.up.w.shape[1], net);
    count = add_products(&e->net.down, run->rows, 0, run);
    linear_products(pool, run->products, count, net->a, rows, net->scratch);
}

/* out += shared network(x), gated if it has a gate */
static void add_shared(Pool *pool, const FeedForward *f, const Experts *e, const float *x,
                       size_t n, float *out, ExpertsRun *run) {
    size_t dim = e->router.map.w.shape[1];
    dense_forward(pool, f, &e->shared, x, n, run->rows, &run->net);
    if (e->shared_gate.w.data)
        linear(pool, &e->shared_gate, x, n, run->scores, run->net.scratch);
    for (size_t i = 0; i < n; i++) {
        float open = e->shared_gate.w.data ? 1 / (1 + expf(-run->scores[i])) : 1;
        axpy(out + i * dim, open, run->rows + i * dim, dim);
    }
}

/* Choose the experts of n tokens; run->rows holds the normed rows meanwhile. */
void moe_route(Pool *pool, const Router *r, const float *x, size_t n, ExpertsRun *run) {
    size_t experts = r->map.w.shape[0], dim = r->map.w.shape[1];
    float scale = r->score_scale > 0 ? r->score_scale : 1;
    if (r->norm.kind) norm_apply_rows(pool, &r->norm, run->rows, x, n, dim);
    linear(pool, &r->map, r->norm.kind ? run->rows : x, n, run->scores, run->net.scratch);
    for (size_t i = 0; i < n * experts && scale != 1; i++) run->scores[i] *= scale;
    for (size_t i = 0; i < n * experts && r->softcap > 0; i++)
        run->scores[i] = r->softcap * tanhf(run->scores[i] / r->softcap);
    for (size_t i = 0; i < n; i++)
        moe_choose(r, run->scores + i * experts, run->choice + i * r->used);
}

/* out (n, width) = the weighted sum of the chosen experts' outputs for x (n, width); or that is
 * added to out. */
static void mix_experts(Pool *pool, const FeedForward *f, const Experts *e, const float *x,
                        size_t n, bool adds, float *out, ExpertsRun *run) {
    size_t width = e->net.up.w.shape[2], used = e->router.used;
    group_by_expert(e, x, n, run);
    if (e->router.weight_input) weight_inputs(n * used, width, run);
    run_experts(pool, f, e, n * used, run);
    if (!adds) memset(out, 0, n * width * sizeof *out);
    for (size_t i = 0; i < n * used; i++)
        axpy(out + i / used * width, run->choice[i].weight,
             run->rows + run->choice[i].row * width, width);
}

/* An adjugate of two chosen experts is computed twice: the same as once, with both weights. */
static void add_adjugates(Pool *pool, const FeedForward *f, const Experts *e, const float *x,
                          size_t n, float *out, ExpertsRun *run) {
    Experts small = *e;
    small.net = e->adjugates;
    for (size_t i = 0; i < n * e->router.used; i++) {
        run->choice[i].expert /= e->per_group;
        run->choice[i].weight *= e->adjugate_scale;
    }
    mix_experts(pool, f, &small, x, n, true, out, run);
}

void moe_forward(Pool *pool, const FeedForward *f, const Experts *e, const float *x, size_t n,
                 float *out, ExpertsRun *run) {
    const Router *r = &e->router;
    REQUIRE(r->map.w.shape[0] <= MOE_EXPERTS && r->used <= r->map.w.shape[0],
            "%zu of %zu experts", r->used, r->map.w.shape[0]);
    if (!r->ahead) moe_route(pool, r, x, n, run);
    if (e->latent_down.w.data) {
        linear(pool, &e->latent_down, x, n, run->latent, run->net.scratch);
        mix_experts(pool, f, e, run->latent, n, false, run->latent, run);
        linear(pool, &e->latent_up, run->latent, n, out, run->net.scratch);
    } else {
        mix_experts(pool, f, e, x, n, false, out, run);
    }
    if (e->adjugates.up.w.data) add_adjugates(pool, f, e, x, n, out, run);
    if (e->shared.up.w.data) add_shared(pool, f, e, x, n, out, run);
}

/* ------------------------------------------------------------------ as a part of a block */

void *experts_open(const BlockPlan *plan) {
    ExpertsSizes sizes = {0};
    ExpertsRun spare, *run = arena_take(plan->arena, 1, sizeof *run);
    for (const Block *b = plan->blocks; b < plan->blocks + plan->count; b++)
        if (b->extras) experts_sizes_include(&sizes, &b->extras->experts);
    experts_run_init(run ? run : &spare, plan->rows, &sizes, plan->arena);
    return run;
}

static void choose_experts(const Block *b, const Pass *p, const float *in, float *out) {
    moe_forward(p->run->pool, &b->ffn, &b->extras->experts, in, p->batch->count, out,
                block_memory(p->run, experts_open));
}

const PartKind experts_part = {
    .name = "experts", .forward = choose_experts, .open = experts_open};
