/* moe.c - see moe.h. */
#include "moe.h"

#include <string.h>

static size_t best_expert(const float *score, size_t n) {
    size_t best = 0;
    for (size_t e = 1; e < n; e++)
        if (score[e] > score[best]) best = e;
    return best;
}

/* The best few experts of a token, weighted by the softmax over these few (which is the softmax
 * over all, made to sum to 1 again). */
static void choose(const FeedForward *f, float *score, ExpertChoice *choice) {
    size_t experts = f->router.w.shape[0], used = f->experts_used;
    float weight[MOE_EXPERTS] = {0};
    for (size_t i = 0; i < used; i++) {
        size_t best = best_expert(score, experts);
        choice[i].expert = best;
        weight[i] = score[best];
        score[best] = -3.4e38f;
    }
    softmax(weight, weight, used);
    for (size_t i = 0; i < used; i++) choice[i].weight = weight[i];
}

/* Give every choice of n tokens its row: those of expert e are first[e] .. first[e + 1] - 1. */
static void line_up(const FeedForward *f, const float *x, size_t n, FfnRun *run) {
    size_t experts = f->router.w.shape[0], dim = f->router.w.shape[1], used = f->experts_used,
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

/* Expert `e` of a stack of matrices (experts, out, in). */
static Linear expert(const Linear *experts, size_t e) {
    return (Linear){.w = tensor_select(&experts->w, e),
                    .packed = experts->packed ? experts->packed + e : NULL};
}

/* Add the product of every expert with its rows to the list; returns how many there are now. */
static size_t add_products(const Linear *experts, float *y, size_t count, FfnRun *run) {
    for (size_t e = 0; e < experts->w.shape[0]; e++) {
        size_t first = run->first[e], n = run->first[e + 1] - first;
        if (n == 0) continue;
        Linear *map = &run->maps[count];
        *map = expert(experts, e);
        run->products[count++] =
            (WeightsProduct){&map->w, map->packed, first, n, y + first * experts->w.shape[1]};
    }
    return count;
}

static void ask_experts(Pool *pool, const FeedForward *f, size_t rows, FfnRun *run) {
    size_t count = add_products(&f->up_experts, run->b, 0, run);
    if (f->gated) count = add_products(&f->gate_experts, run->a, count, run);
    matmul_products(pool, run->products, count, run->rows, rows, run->scratch);
    ffn_bend(pool, f, rows, f->up_experts.w.shape[1], run);
    count = add_products(&f->down_experts, run->rows, 0, run);
    matmul_products(pool, run->products, count, run->a, rows, run->scratch);
}

void mixture(Pool *pool, const FeedForward *f, const float *x, size_t n, float *out,
             FfnRun *run) {
    size_t experts = f->router.w.shape[0], dim = f->router.w.shape[1], used = f->experts_used;
    REQUIRE(experts <= MOE_EXPERTS && used <= experts, "%zu of %zu experts", used, experts);
    linear(pool, &f->router, x, n, run->scores, run->scratch);
    for (size_t i = 0; i < n; i++) choose(f, run->scores + i * experts, run->choice + i * used);
    line_up(f, x, n, run);
    ask_experts(pool, f, n * used, run);
    memset(out, 0, n * dim * sizeof *out);
    for (size_t i = 0; i < n * used; i++)
        axpy(out + i / used * dim, run->choice[i].weight, run->rows + run->choice[i].row * dim,
             dim);
}
