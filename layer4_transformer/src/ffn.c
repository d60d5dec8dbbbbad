/* ffn.c - see ffn.h. */
#include "ffn.h"

#include <math.h>

void ffn_sizes_include(FfnSizes *s, const Network *net) {
    s->dim = max_size(s->dim, net->up.w.shape[1]);
    s->hidden = max_size(s->hidden, net->up.w.shape[0]);
}

void ffn_run_init(FfnRun *run, size_t rows, const FfnSizes *s, Arena *arena) {
    const size_t wide = max_size(s->dim, s->hidden);
    *run = (FfnRun){.a = arena_take(arena, rows * s->hidden, sizeof *run->a)};
    run->b = arena_take(arena, rows * s->hidden, sizeof *run->b);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows, wide), 1);
}

/* The activation is elementwise. */
typedef struct Elements {
    const FeedForward *f;
    float *a;
    const float *b;
    float limit;
} Elements;

/* a = act(a) * b with a gate, else act(b), for numbers begin .. end - 1.  A limit > 0 bounds
 * both factors (activate_limited); ACT_XIELU is xielu of b. */
static void activate_some(void *context, int worker, size_t begin, size_t end) {
    const Elements *t = context;
    (void)worker;
    if (t->f->act == ACT_XIELU)
        xielu(t->a + begin, t->b + begin, end - begin, &t->f->xielu);
    else if (t->limit > 0)
        activate_limited(t->f->act, t->a + begin, t->b + begin, t->limit, end - begin);
    else if (t->f->gated)
        activate_gated(t->f->act, t->a + begin, t->a + begin, t->b + begin, end - begin);
    else
        activate(t->f->act, t->a + begin, t->b + begin, end - begin);
}

/* Sparse gates: FeedForward.cut. */
typedef struct Cut {
    float *gate; /* (n, hidden) */
    size_t hidden;
    float deviations;
} Cut;

/* gate = max(0, gate - mean - deviations * std); 5 % of normal numbers exceed 1.645. */
static void cut_some(void *context, int worker, size_t begin, size_t end) {
    const Cut *t = context;
    const float n = (float)t->hidden;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *gate = t->gate + i * t->hidden, mean = 0, square = 0;
        for (size_t k = 0; k < t->hidden; k++) mean += gate[k] / n;
        for (size_t k = 0; k < t->hidden; k++) square += (gate[k] - mean) * (gate[k] - mean);
        float threshold = mean + t->deviations * sqrtf(square / (n - 1));
        for (size_t k = 0; k < t->hidden; k++) gate[k] = fmaxf(gate[k] - threshold, 0);
    }
}

void activate_rows(Pool *pool, const FeedForward *f, float limit, size_t n, size_t hidden,
                   FfnRun *run) {
    REQUIRE(f->gated ? f->act != ACT_XIELU : !(limit > 0 || f->cut > 0),
            "limit and cut act on gates, xIELU without one");
    if (f->cut > 0) pool_for(pool, n, 1, cut_some, &(Cut){run->a, hidden, f->cut});
    pool_for(pool, n * hidden, 1024, activate_some, &(Elements){f, run->a, run->b, limit});
    if (run->probe) probe_neurons(run->probe, run->a, hidden);
}

void dense_forward(Pool *pool, const FeedForward *f, const Network *net, const float *x,
                   size_t n, float *out, FfnRun *run) {
    const LinearProduct products[] = {{&net->up, 0, n, run->b}, {&net->gate, 0, n, run->a}};
    linear_products(pool, products, f->gated ? 2 : 1, x, n, run->scratch);
    size_t hidden = net->up.w.shape[0];
    activate_rows(pool, f, f->limit, n, hidden, run);
    for (size_t i = 0; i < n && f->sub_norm.kind; i++)
        norm_apply(&f->sub_norm, run->a + i * hidden, run->a + i * hidden, hidden);
    linear(pool, &net->down, run->a, n, out, run->scratch);
}
