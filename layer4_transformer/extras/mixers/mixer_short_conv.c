/* mixer_short_conv.c - see mixer_short_conv.h. */
#include "mixer_short_conv.h"
#include "block_extras.h"

enum { ROWS = 4 }; /* rows per task */

typedef struct Rows {
    const ShortConvRun *run;
    size_t dim;
} Rows;

/* PoolTasks: x = B * u before the convolution, y = C * y after it. */
static void gate_in(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const float *b = t->run->in + i * 3 * t->dim, *u = b + 2 * t->dim;
        for (size_t k = 0; k < t->dim; k++) t->run->x[i * t->dim + k] = b[k] * u[k];
    }
}

static void gate_out(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const float *c = t->run->in + i * 3 * t->dim + t->dim;
        for (size_t k = 0; k < t->dim; k++) t->run->y[i * t->dim + k] *= c[k];
    }
}

/* ------------------------------------------------------------------ as a part of a block */

static void *short_conv_open(const BlockPlan *plan) {
    const size_t rows = plan->rows, dim = plan->dim, f = sizeof(float);
    ShortConvRun spare = {0}, *run = arena_take(plan->arena, 1, sizeof *run),
                 *to = run ? run : &spare;
    to->in = arena_take(plan->arena, rows * 3 * dim, f);
    to->x = arena_take(plan->arena, rows * dim, f);
    to->y = arena_take(plan->arena, rows * dim, f);
    to->scratch = arena_take(plan->arena, linear_scratch_bytes(rows, dim), 1);
    return run;
}

static void short_conv_forward(const Block *b, const Pass *p, const float *in, float *out) {
    const ShortConvMixer *m = &b->extras->short_conv;
    ShortConvRun *run = block_memory(p->run, short_conv_open);
    Pool *pool = p->run->pool;
    size_t n = p->batch->count, dim = m->conv.channels;
    Rows rows = {run, dim};
    linear(pool, &m->in, in, n, run->in, run->scratch);
    pool_for(pool, n, ROWS, gate_in, &rows);
    short_conv_rows(pool, &m->conv, p->kv, p->layer, p->batch, run->x, dim, run->y);
    pool_for(pool, n, ROWS, gate_out, &rows);
    linear(pool, &m->out, run->y, n, out, run->scratch);
}

static size_t short_conv_numbers(const Block *b) {
    return short_conv_state(&b->extras->short_conv.conv);
}

const PartKind short_conv_part = {"short convolution", short_conv_forward, short_conv_numbers,
                                  NULL, short_conv_open};
