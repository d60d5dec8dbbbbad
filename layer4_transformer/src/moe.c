/* moe.c - see moe.h; how a token's experts are chosen: router.c. */
#include "moe.h"

#include <math.h>
#include <string.h>

/* Give every choice of n tokens its row: those of expert e are first[e] .. first[e + 1] - 1. */
static void group_by_expert(const FeedForward *f, const float *x, size_t n, FfnRun *run) {
    const Router *r = &f->router;
    size_t experts = r->map.w.shape[0], dim = f->experts.up.w.shape[2], used = r->used,
           next[MOE_EXPERTS];
    memset(run->first, 0, (experts + 1) * sizeof *run->first);
    for (size_t i = 0; i < n * used; i++) run->first[run->choice[i].expert + 1]++;
    for (size_t e = 0; e < experts; e++) run->first[e + 1] += run->first[e];
    memcpy(next, run->first, experts * sizeof *next);
    for (size_t i = 0; i < n * used; i++) {
        run->choice[i].row = next[run->choice[i].expert]++;
        norm_apply(&f->experts_norm, run->rows + run->choice[i].row * dim, x + i / used * dim,
                   dim);
    }
}

/* The weights act on what the experts read, and are spent. */
static void weight_inputs(size_t count, size_t dim, FfnRun *run) {
    for (size_t i = 0; i < count; i++) {
        float *row = run->rows + run->choice[i].row * dim;
        for (size_t k = 0; k < dim; k++) row[k] *= run->choice[i].weight;
        run->choice[i].weight = 1;
    }
}

/* Add the product of every expert with its rows to the list; returns how many there are now. */
static size_t add_products(const Linear *stack, float *y, size_t count, FfnRun *run) {
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

static void run_experts(Pool *pool, const FeedForward *f, size_t rows, FfnRun *run) {
    const Network *e = &f->experts;
    size_t count = add_products(&e->up, run->b, 0, run);
    if (f->gated) count = add_products(&e->gate, run->a, count, run);
    linear_products(pool, run->products, count, run->rows, rows, run->scratch);
    activate_rows(pool, f, f->expert_limit, rows, e->up.w.shape[1], run);
    count = add_products(&e->down, run->rows, 0, run);
    linear_products(pool, run->products, count, run->a, rows, run->scratch);
}

/* out += the network that every token passes, perhaps through a gate of its own */
static void add_shared(Pool *pool, const FeedForward *f, const float *x, size_t n, float *out,
                       FfnRun *run) {
    size_t dim = f->router.map.w.shape[1];
    dense_forward(pool, f, &f->shared, x, n, run->rows, run);
    if (f->shared_gate.w.data) linear(pool, &f->shared_gate, x, n, run->scores, run->scratch);
    for (size_t i = 0; i < n; i++) {
        float open = f->shared_gate.w.data ? 1 / (1 + expf(-run->scores[i])) : 1;
        axpy(out + i * dim, open, run->rows + i * dim, dim);
    }
}

/* The experts of each of n tokens; run->rows is free for the rows that the router reads. */
static void route(Pool *pool, const Router *r, const float *x, size_t n, FfnRun *run) {
    size_t experts = r->map.w.shape[0], dim = r->map.w.shape[1];
    float scale = r->score_scale > 0 ? r->score_scale : 1;
    for (size_t i = 0; i < n && r->norm.kind; i++)
        norm_apply(&r->norm, run->rows + i * dim, x + i * dim, dim);
    linear(pool, &r->map, r->norm.kind ? run->rows : x, n, run->scores, run->scratch);
    for (size_t i = 0; i < n * experts && scale != 1; i++) run->scores[i] *= scale;
    for (size_t i = 0; i < n; i++)
        moe_choose(r, run->scores + i * experts, run->choice + i * r->used);
}

/* out (n, width) = what the chosen experts answer to x (n, width), weighted and added up. */
static void mix_experts(Pool *pool, const FeedForward *f, const float *x, size_t n, float *out,
                        FfnRun *run) {
    size_t width = f->experts.up.w.shape[2], used = f->router.used;
    group_by_expert(f, x, n, run);
    if (f->router.weight_input) weight_inputs(n * used, width, run);
    run_experts(pool, f, n * used, run);
    memset(out, 0, n * width * sizeof *out);
    for (size_t i = 0; i < n * used; i++)
        axpy(out + i / used * width, run->choice[i].weight,
             run->rows + run->choice[i].row * width, width);
}

void moe_forward(Pool *pool, const FeedForward *f, const float *x, size_t n, float *out,
                 FfnRun *run) {
    const Router *r = &f->router;
    REQUIRE(r->map.w.shape[0] <= MOE_EXPERTS && r->used <= r->map.w.shape[0],
            "%zu of %zu experts", r->used, r->map.w.shape[0]);
    route(pool, r, x, n, run);
    if (f->latent_down.w.data) {
        linear(pool, &f->latent_down, x, n, run->latent, run->scratch);
        mix_experts(pool, f, run->latent, n, run->latent, run);
        linear(pool, &f->latent_up, run->latent, n, out, run->scratch);
    } else {
        mix_experts(pool, f, x, n, out, run);
    }
    if (f->shared.up.w.data) add_shared(pool, f, x, n, out, run);
}
