/* ffn.c - see ffn.h. */
#include "moe.h"

void ffn_run_init(FfnRun *run, size_t tokens, const FfnSizes *s, Arena *arena) {
    size_t rows = tokens * (s->experts ? s->experts_used : 1), f = sizeof(float);
    *run = (FfnRun){.a = arena_take(arena, rows * s->hidden, f)};
    run->b = arena_take(arena, rows * s->hidden, f);
    run->scratch = arena_take(
        arena, matmul_weights_bytes(rows, s->hidden > s->dim ? s->hidden : s->dim), 1);
    if (!s->experts) return;
    run->scores = arena_take(arena, tokens * s->experts, f);
    run->choice = arena_take(arena, rows, sizeof *run->choice);
    run->first = arena_take(arena, s->experts + 1, sizeof *run->first);
    run->rows = arena_take(arena, rows * s->dim, f);
    run->maps = arena_take(arena, 2 * s->experts, sizeof *run->maps);
    run->products = arena_take(arena, 2 * s->experts, sizeof *run->products);
}

/* Between up, gate and down each number is for itself. */
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

void ffn_bend(Pool *pool, const FeedForward *f, size_t n, size_t hidden, FfnRun *run) {
    pool_for(pool, n * hidden, 1024, bend, &(Bend){f, run->a, run->b});
}

static void dense(Pool *pool, const FeedForward *f, const float *x, size_t n, float *out,
                  FfnRun *run) {
    const Linear *maps[] = {&f->up, &f->gate};
    float *results[] = {run->b, run->a};
    linear_together(pool, f->gated ? 2 : 1, maps, x, n, results, run->scratch);
    ffn_bend(pool, f, n, f->up.w.shape[0], run);
    linear(pool, &f->down, run->a, n, out, run->scratch);
}

void feed_forward(Pool *pool, const FeedForward *f, const float *x, size_t n, float *out,
                  FfnRun *run) {
    if (f->router.w.data)
        mixture(pool, f, x, n, out, run);
    else
        dense(pool, f, x, n, out, run);
}
