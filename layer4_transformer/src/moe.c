/* moe.c - see moe.h; how a token's experts are chosen: router.c. */
#include "moe.h"

#include <math.h>
#include <string.h>

/* Give every choice of n tokens its row: those of expert e are first[e] .. first[e + 1] - 1. */
static void group_by_expert(const Router *r, const float *x, size_t n, FfnRun *run) {
    size_t experts = r->map.w.shape[0], dim = r->map.w.shape[1], used = r->used,
           next[MOE_EXPERTS];
    memset(run->first, 0, (experts + 1) * sizeof *run->first);
    for (size_t i = 0; i < n * used; i++) run->first[run->choice[i].expert + 1]++;
    for (size_t e = 0; e < experts; e++) run->first[e + 1] += run->first[e];
    memcpy(next, run->first, experts * sizeof *next);
    for (size_t i = 0; i < n * used; i++) {
        run->choice[i].row = next[run->choice[i].expert]++;
        memcpy(run->rows + run->choice[i].row * dim, x + i / used * dim, dim * sizeof *x);
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

void moe_forward(Pool *pool, const FeedForward *f, const float *x, size_t n, float *out,
                 FfnRun *run) {
    const Router *r = &f->router;
    size_t experts = r->map.w.shape[0], dim = r->map.w.shape[1], used = r->used;
    REQUIRE(experts <= MOE_EXPERTS && used <= experts, "%zu of %zu experts", used, experts);
    linear(pool, &r->map, x, n, run->scores, run->scratch);
    for (size_t i = 0; i < n; i++)
        moe_choose(r, run->scores + i * experts, run->choice + i * used);
    group_by_expert(r, x, n, run);
    if (r->weight_input) weight_inputs(n * used, dim, run);
    run_experts(pool, f, n * used, run);
    memset(out, 0, n * dim * sizeof *out);
    for (size_t i = 0; i < n * used; i++)
        axpy(out + i / used * dim, run->choice[i].weight, run->rows + run->choice[i].row * dim,
             dim);
    if (f->shared.up.w.data) add_shared(pool, f, x, n, out, run);
}
