/* mixer_short_conv.c - see mixer_short_conv.h. */
#include "mixer_short_conv.h"
#include "block_extras.h"

enum { ROWS = 4 }; /* rows per task */

void short_conv_run_init(ShortConvRun *run, size_t rows, size_t dim, Arena *arena) {
    size_t f = sizeof(float);
    run->in = arena_take(arena, rows * 3 * dim, f);
    run->x = arena_take(arena, rows * dim, f);
    run->y = arena_take(arena, rows * dim, f);
    run->scratch = arena_take(arena, dim ? linear_scratch_bytes(rows, dim) : 0, 1);
}

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

void short_conv_forward(Pool *pool, const ShortConvMixer *m, ShortConvRun *run,
                        const KvCache *kv, size_t layer, const Batch *batch, const float *x,
                        float *out) {
    size_t n = batch->count, dim = m->conv.channels;
    Rows rows = {run, dim};
    linear(pool, &m->in, x, n, run->in, run->scratch);
    pool_for(pool, n, ROWS, gate_in, &rows);
    short_conv_rows(pool, &m->conv, kv, layer, batch, run->x, dim, run->y);
    pool_for(pool, n, ROWS, gate_out, &rows);
    linear(pool, &m->out, run->y, n, out, run->scratch);
}

/* ------------------------------------------------------------------ as a part of a block */

static void *short_conv_open(const BlockPlan *plan) {
    ShortConvRun spare, *run = arena_take(plan->arena, 1, sizeof *run);
    short_conv_run_init(run ? run : &spare, plan->rows, plan->dim, plan->arena);
    return run;
}

static void short_conv_part_rows(const Block *b, const Pass *p, const float *in, float *out) {
    short_conv_forward(p->run->pool, &b->extras->short_conv,
                       block_memory(p->run, short_conv_open), p->kv, p->layer, p->batch, in,
                       out);
}

static size_t short_conv_numbers(const Block *b) {
    return short_conv_state(&b->extras->short_conv.conv);
}

const PartKind short_conv_part = {"short convolution", short_conv_part_rows, short_conv_numbers,
                                  NULL, short_conv_open};
