/* altup.c - see altup.h. */
#include "altup.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4 }; /* rows per task */

/* lower bound for a part's mean square */
static const float SHORTEST = 1e-5f;

void altup_run_init(AltUpRun *run, size_t rows, size_t dim, size_t streams, Arena *arena) {
    size_t f = sizeof(float);
    *run = (AltUpRun){0};
    if (!streams) return;
    run->normed = arena_take(arena, rows * dim, f);
    run->predicted = arena_take(arena, rows * dim, f);
    run->modes = arena_take(arena, rows * streams, f);
    run->mix = arena_take(arena, rows * streams * streams, f);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows, max_size(dim, streams)), 1);
}

typedef struct Rows {
    const AltUp *a;
    const AltUpRun *run;
    float *x;
    size_t n, dim, streams;
} Rows;

/* run->modes = tanh(router(norm(X_0)) / dim) */
static void read_modes(Pool *pool, const Rows *t) {
    const AltUpRun *run = t->run;
    norm_apply_rows(pool, &t->a->router_norm, run->normed, t->x, t->n, t->dim);
    linear(pool, &t->a->router, run->normed, t->n, run->modes, run->scratch);
    for (size_t i = 0; i < t->n * t->streams; i++)
        run->modes[i] = tanhf(run->modes[i] / (float)t->dim);
}

/* X_o += sum_j mix_oj X_j, for row i. */
static void predict_row(const Rows *t, size_t i) {
    const size_t s = t->streams;
    const float *mix = t->run->mix + i * s * s;
    for (size_t k = 0; k < t->dim; k++) {
        float before[ALTUP_STREAMS];
        for (size_t j = 0; j < s; j++) before[j] = t->x[(j * t->n + i) * t->dim + k];
        for (size_t o = 0; o < s; o++) {
            float sum = before[o];
            for (size_t j = 0; j < s; j++) sum += mix[o * s + j] * before[j];
            t->x[(o * t->n + i) * t->dim + k] = sum;
        }
    }
}

static void predict_some(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    for (size_t i = begin; i < end; i++) predict_row(context, i);
}

void altup_predict(Pool *pool, const AltUp *a, AltUpRun *run, float *x, size_t n, size_t dim) {
    Rows rows = {a, run, x, n, dim, a->streams};
    read_modes(pool, &rows);
    linear(pool, &a->predict, run->modes, n, run->mix, run->scratch);
    pool_for(pool, n, ROWS, predict_some, &rows);
    memcpy(run->predicted, x, n * dim * sizeof *x);
}

/* innovation = x_0 - prediction; part j adds (1 + c_j) * innovation. */
static void correct_some(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const float *take = t->run->mix + i * t->streams;
        float *first = t->x + i * t->dim, *innovation = t->run->predicted + i * t->dim;
        for (size_t k = 0; k < t->dim; k++) {
            float predicted = innovation[k];
            innovation[k] = first[k] - predicted;
            first[k] = predicted;
        }
        for (size_t j = 0; j < t->streams; j++)
            axpy(t->x + (j * t->n + i) * t->dim, take[j] + 1, innovation, t->dim);
    }
}

void altup_correct(Pool *pool, const AltUp *a, AltUpRun *run, float *x, size_t n, size_t dim) {
    Rows rows = {a, run, x, n, dim, a->streams};
    read_modes(pool, &rows);
    linear(pool, &a->correct, run->modes, n, run->mix, run->scratch);
    pool_for(pool, n, ROWS, correct_some, &rows);
}

/* ------------------------------------------------------------------ first and last block */

static float mean_square(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return fmaxf(sum / (float)n, SHORTEST);
}

/* Scale a row to the length of another one. */
static void rescale(float *row, const float *as, size_t dim) {
    float ratio = sqrtf(mean_square(as, dim) / mean_square(row, dim));
    for (size_t k = 0; k < dim; k++) row[k] *= ratio;
}

void altup_spread(Pool *pool, const AltUpEnds *ends, AltUpRun *run, float *x, size_t n,
                  size_t dim) {
    for (size_t j = 0; j < ends->spread.w.shape[0]; j++) {
        Linear map = linear_of_stack(&ends->spread, j);
        float *part = x + (j + 1) * n * dim;
        linear(pool, &map, x, n, part, run->scratch);
        for (size_t i = 0; i < n; i++) rescale(part + i * dim, x + i * dim, dim);
    }
}

void altup_gather(Pool *pool, const AltUpEnds *ends, AltUpRun *run, float *x, size_t n,
                  size_t dim) {
    const size_t others = ends->gather.w.shape[0];
    for (size_t j = 0; j < others; j++) {
        Linear map = linear_of_stack(&ends->gather, j);
        float *part = x + (j + 1) * n * dim;
        linear(pool, &map, part, n, run->normed, run->scratch);
        memcpy(part, run->normed, n * dim * sizeof *x);
        for (size_t i = 0; i < n; i++) rescale(part + i * dim, x + i * dim, dim);
    }
    for (size_t j = 0; j < others; j++) axpy(x, 1, x + (j + 1) * n * dim, n * dim);
    for (size_t k = 0; k < n * dim; k++) x[k] /= (float)(others + 1);
}
