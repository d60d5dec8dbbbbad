/* layer_input.c - see layer_input.h. */
#include "layer_input.h"

#include <math.h>

enum { ROWS = 4 }; /* rows per task */

void layer_input_run_init(LayerInputRun *run, size_t rows, const LayerInputSizes *s,
                          Arena *arena) {
    size_t f = sizeof(float), all = s->layers * s->width;
    *run = (LayerInputRun){.width = all};
    if (!all) return;
    run->all = arena_take(arena, rows * all, f);
    run->row = arena_take(arena, rows * all, f);
    run->gate = arena_take(arena, rows * s->width, f);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows, max_size(s->dim, s->width)), 1);
}

/* ------------------------------------------------------------------ of the model */

typedef struct Rows {
    const LayerTable *table;
    const LayerInputRun *run;
    const Batch *batch;
    float shrink; /* 1 / sqrt(dim) */
} Rows;

/* A PoolTask: p = (norm(map x0 / sqrt(dim)) + sqrt(width) table[token]) / sqrt(2). */
static void make_some(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const size_t all = t->run->width;
    const float width = sqrtf((float)t->table->width), half = sqrtf(0.5f);
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *p = t->run->all + i * all, *row = t->run->row + i * all;
        const size_t token = (size_t)t->batch->token[i];
        embedding(row, &t->table->table, token < t->table->table.shape[0] ? token : 0);
        for (size_t k = 0; k < all; k++) p[k] *= t->shrink;
        norm_apply(&t->table->norm, p, p, all);
        for (size_t k = 0; k < all; k++) p[k] = (p[k] + width * row[k]) * half;
    }
}

void layer_inputs(Pool *pool, const LayerTable *table, LayerInputRun *run, const Batch *batch,
                  const float *x) {
    const float shrink = 1 / sqrtf((float)table->map.w.shape[1]);
    linear(pool, &table->map, x, batch->count, run->all, run->scratch);
    pool_for(pool, batch->count, ROWS, make_some, &(Rows){table, run, batch, shrink});
}

/* ------------------------------------------------------------------ of a block */

typedef struct Gated {
    const LayerInput *input;
    const LayerInputRun *run;
    size_t layer, width;
} Gated;

/* act(gate) * p[layer] */
static void gate_some(void *context, int worker, size_t begin, size_t end) {
    const Gated *t = context;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *gate = t->run->gate + i * t->width;
        activate_gated(t->input->act, gate, gate,
                       t->run->all + i * t->run->width + t->layer * t->width, t->width);
    }
}

void layer_input_forward(Pool *pool, const LayerInput *input, LayerInputRun *run, size_t layer,
                         const float *x, size_t n, float *out) {
    Gated rows = {.input = input, .run = run, .layer = layer, .width = input->gate.w.shape[0]};
    linear(pool, &input->gate, x, n, run->gate, run->scratch);
    pool_for(pool, n, ROWS, gate_some, &rows);
    linear(pool, &input->out, run->gate, n, out, run->scratch);
    norm_apply_rows(pool, &input->norm, out, out, n, input->gate.w.shape[1]);
}
