/* ffn.c - see ffn.h. */
#include "ffn.h"

#include <string.h>

/* What lies between up, gate and down: each number for itself. */
typedef struct Bend {
    const FeedForward *f;
    float *a;
    const float *b;
} Bend;

static void bend(void *context, int worker, size_t begin, size_t end) {
    const Bend *t = context;
    (void)worker;
    if (t->f->gated)
        activate_gated(t->f->act, t->a + begin, t->a + begin, t->b + begin, end - begin);
    else
        activate(t->f->act, t->a + begin, t->b + begin, end - begin);
}

static void dense(Pool *pool, const FeedForward *f, const float *x, size_t n, float *out,
                  float *a, float *b, void *scratch) {
    size_t hidden = f->up.w.shape[0];
    linear(pool, &f->up, x, n, b, scratch);
    if (f->gated) linear(pool, &f->gate, x, n, a, scratch);
    pool_for(pool, n * hidden, 1024, bend, &(Bend){f, a, b});
    linear(pool, &f->down, a, n, out, scratch);
}

/* Expert `e` of a stack of matrices (experts, out, in). */
static Linear expert(const Linear *experts, size_t e) {
    const Tensor *stack = &experts->w;
    size_t bytes = dtype_row_bytes(stack->dtype, stack->shape[2]) * stack->shape[1];
    return (Linear){
        .w = tensor_view(stack->dtype, 2, stack->shape + 1, (char *)stack->data + e * bytes),
        .packed = experts->packed ? experts->packed + e : NULL};
}

static size_t best_expert(const float *score, size_t n) {
    size_t best = 0;
    for (size_t e = 1; e < n; e++)
        if (score[e] > score[best]) best = e;
    return best;
}

enum { MOST_EXPERTS = 512 };

/* One token: the best few experts, weighted by the softmax over these few (which is the softmax
 * over all, made to sum to 1 again). */
static void mixture(Pool *pool, const FeedForward *f, const float *x, float *out, float *a,
                    float *b, void *scratch) {
    size_t experts = f->router.w.shape[0], dim = f->router.w.shape[1], used = f->experts_used;
    float score[MOST_EXPERTS], weight[MOST_EXPERTS];
    size_t chosen[MOST_EXPERTS];
    REQUIRE(experts <= MOST_EXPERTS && used <= experts, "%zu of %zu experts", used, experts);
    linear(pool, &f->router, x, 1, score, scratch);
    for (size_t i = 0; i < used; i++) {
        chosen[i] = best_expert(score, experts);
        weight[i] = score[chosen[i]];
        score[chosen[i]] = -3.4e38f;
    }
    softmax(weight, weight, used);
    memset(out, 0, dim * sizeof *out);
    for (size_t i = 0; i < used; i++) {
        FeedForward one = {.act = f->act, .gated = f->gated};
        one.gate = expert(&f->gate_experts, chosen[i]);
        one.up = expert(&f->up_experts, chosen[i]);
        one.down = expert(&f->down_experts, chosen[i]);
        size_t hidden = one.up.w.shape[0];
        dense(pool, &one, x, 1, b + hidden, a, b,
              scratch); /* b holds hidden numbers and then dim */
        axpy(out, weight[i], b + hidden, dim);
    }
}

void feed_forward(Pool *pool, const FeedForward *f, const float *x, size_t n, float *out,
                  float *a, float *b, void *scratch) {
    if (!f->router.w.data) {
        dense(pool, f, x, n, out, a, b, scratch);
        return;
    }
    size_t dim = f->router.w.shape[1];
    for (size_t i = 0; i < n; i++) mixture(pool, f, x + i * dim, out + i * dim, a, b, scratch);
}
