/* delta_train.c - see delta_train.h.  A task is one key head of one sequence with its value
 * heads, so that one thread sums the gradients of q and k in a fixed order. */
#include "delta_train.h"

#include <math.h>
#include <string.h>

/* out += S^T x for a state in strips, x a value. */
static void ask_by_value(float *out, const float *memory, const float *x, size_t d) {
    for (size_t j = 0; j < d; j += STRIP)
        for (size_t i = 0; i < d; i++)
            out[i] += dot_f32(memory + j * d + i * STRIP, x + j, min_size(STRIP, d - j));
}

/* out[i] += column i of a times column i of b, both states in strips. */
static void rows_together(float *out, const float *a, const float *b, size_t d) {
    for (size_t j = 0; j < d; j += STRIP)
        for (size_t i = 0; i < d; i++) {
            size_t at = j * d + i * STRIP;
            out[i] += dot_f32(a + at, b + at, min_size(STRIP, d - j));
        }
}

void delta_step_backward(float *memory, const float *after, const float *before, size_t d,
                         const DeltaToken *t, const float *dout, DeltaTokenGradients *grad) {
    float one[DELTA_DIM], stays[DELTA_DIM] = {0}, missing[DELTA_DIM] = {0}, u[DELTA_DIM],
                          du[DELTA_DIM] = {0}, back[DELTA_DIM], asked[DELTA_DIM] = {0};
    for (size_t i = 0; i < d; i++) one[i] = 1, stays[i] = t->decay[i] * t->k[i];
    weighted_sum(STRIP_F32, &(WeightedTask){.y = missing,
                                            .a = stays,
                                            .x = before,
                                            .x_step = STRIP * d,
                                            .count = 1,
                                            .rows = d,
                                            .n = d});
    for (size_t j = 0; j < d; j++) missing[j] = t->v[j] - missing[j];
    for (size_t j = 0; j < d; j++) u[j] = t->beta * missing[j];

    StripRecurrence step = {.after = memory, .before = memory, .rows = d, .n = d};
    step.decay = one, step.in = dout, step.b = t->q, step.c = t->k, step.out = du;
    recurrence_strips(&step); /* G + do q^T, and du = G k */
    for (size_t j = 0; j < d; j++) grad->v[j] = t->beta * du[j], back[j] = -grad->v[j];
    grad->beta = dot_f32(du, missing, d);
    ask_by_value(grad->q, after, dout, d);
    ask_by_value(grad->k, memory, u, d);
    ask_by_value(asked, before, back, d);
    for (size_t i = 0; i < d; i++) grad->k[i] += t->decay[i] * asked[i];

    step.decay = t->decay, step.in = back, step.b = stays, step.out = asked;
    recurrence_strips(&step); /* (G - dv k^T) D */
    memset(grad->decay, 0, d * sizeof *grad->decay);
    rows_together(grad->decay, memory, before, d);
}

/* ------------------------------------------------------------------ whole sequences */

typedef struct Task {
    const DeltaShape *shape;
    Sequences sequences;
    const DeltaRows *rows, *grad;
    const float *dout;
    float *out, *scratch;
    size_t scratch_each;
} Task;

static size_t memory_floats(size_t d) { return strip_rows(d) * d; }

/* The state before each token and after the last, and its gradient. */
static size_t scratch_each(size_t d, size_t longest) {
    return (longest + 2) * memory_floats(d);
}

size_t delta_scratch_floats(int threads, size_t d, size_t longest) {
    return (size_t)threads * scratch_each(d, longest);
}

/* Offsets of q, k and v of head h and token i, and of its beta and rate. */
typedef struct Place {
    size_t q, k, v, head;
} Place;

static Place place_of(const DeltaShape *s, size_t i, size_t h) {
    size_t key = h % s->keys, row = i * (2 * s->keys + s->heads);
    return (Place){(row + key) * s->d, (row + s->keys + key) * s->d,
                   (row + 2 * s->keys + h) * s->d, i * s->heads + h};
}

/* What head h reads of token i; fills decay (d) with one number. */
static DeltaToken token_at(const Task *t, size_t i, size_t h, float *decay) {
    const DeltaRows *r = t->rows;
    Place at = place_of(t->shape, i, h);
    float stays;
    vector_exp(&stays, r->rate + at.head, 0, 1);
    for (size_t k = 0; k < t->shape->d; k++) decay[k] = stays;
    return (DeltaToken){decay, r->beta[at.head], r->qkv + at.q, r->qkv + at.k, r->qkv + at.v};
}

/* Update the state of head h with token i. */
static void step(const Task *t, size_t i, size_t h, float *after, const float *before,
                 float *out) {
    float decay[DELTA_DIM];
    DeltaToken token = token_at(t, i, h, decay);
    size_t d = t->shape->d;
    delta_step(after, before, d, d, decay, token.beta, token.q, token.k, token.v, out);
}

static void forward_key(void *context, int worker, size_t begin, size_t end) {
    const Task *t = context;
    const DeltaShape *s = t->shape;
    float *memory = t->scratch + (size_t)worker * t->scratch_each,
          scale = 1 / sqrtf((float)s->d);
    for (size_t task = begin; task < end; task++) {
        const size_t *rows = t->sequences.start + task / s->keys;
        for (size_t h = task % s->keys; h < s->heads; h += s->keys) {
            memset(memory, 0, memory_floats(s->d) * sizeof *memory);
            for (size_t i = rows[0]; i < rows[1]; i++) {
                float *out = t->out + (i * s->heads + h) * s->d;
                step(t, i, h, memory, memory, out);
                for (size_t j = 0; j < s->d; j++) out[j] *= scale;
            }
        }
    }
}

/* Token i of head h, backward; `states` holds the state before it and the one after it. */
static void step_back(const Task *t, size_t i, size_t h, const float *states, float *memory) {
    const DeltaShape *s = t->shape;
    Place at = place_of(s, i, h);
    size_t d = s->d;
    float decay[DELTA_DIM], by_decay[DELTA_DIM], dout[DELTA_DIM], scale = 1 / sqrtf((float)d);
    DeltaToken token = token_at(t, i, h, decay);
    DeltaTokenGradients grad = {t->grad->qkv + at.q, t->grad->qkv + at.k, t->grad->qkv + at.v,
                                by_decay, 0};
    for (size_t j = 0; j < d; j++) dout[j] = scale * t->dout[at.head * d + j];
    delta_step_backward(memory, states + memory_floats(d), states, d, &token, dout, &grad);
    t->grad->beta[at.head] = grad.beta;
    t->grad->rate[at.head] = vector_sum(by_decay, d);
}

/* One head of one sequence: forward again, then backward. */
static void backward_head(const Task *t, const size_t *rows, size_t h, float *states) {
    size_t numbers = memory_floats(t->shape->d), n = rows[1] - rows[0];
    float *memory = states + (n + 1) * numbers, out[DELTA_DIM];
    memset(states, 0, numbers * sizeof *states);
    memset(memory, 0, numbers * sizeof *memory);
    for (size_t i = 0; i < n; i++)
        step(t, rows[0] + i, h, states + (i + 1) * numbers, states + i * numbers, out);
    for (size_t i = n; i-- > 0;) step_back(t, rows[0] + i, h, states + i * numbers, memory);
}

static void backward_key(void *context, int worker, size_t begin, size_t end) {
    const Task *t = context;
    const DeltaShape *s = t->shape;
    for (size_t task = begin; task < end; task++) {
        const size_t *rows = t->sequences.start + task / s->keys, key = task % s->keys;
        for (size_t i = rows[0]; i < rows[1]; i++) {
            Place at = place_of(s, i, key);
            memset(t->grad->qkv + at.q, 0, s->d * sizeof(float));
            memset(t->grad->qkv + at.k, 0, s->d * sizeof(float));
        }
        for (size_t h = key; h < s->heads; h += s->keys)
            backward_head(t, rows, h, t->scratch + (size_t)worker * t->scratch_each);
    }
}

void delta_sequences(Pool *pool, const DeltaShape *shape, Sequences sequences,
                     const DeltaRows *rows, float *out, float *scratch) {
    Task task = {.shape = shape,
                 .sequences = sequences,
                 .rows = rows,
                 .out = out,
                 .scratch = scratch,
                 .scratch_each = scratch_each(shape->d, sequences_longest(sequences))};
    pool_for(pool, sequences.count * shape->keys, 1, forward_key, &task);
}

void delta_backward(Pool *pool, const DeltaShape *shape, Sequences sequences,
                    const DeltaRows *rows, const float *dout, const DeltaRows *grad,
                    float *scratch) {
    Task task = {.shape = shape,
                 .sequences = sequences,
                 .rows = rows,
                 .grad = grad,
                 .dout = dout,
                 .scratch = scratch,
                 .scratch_each = scratch_each(shape->d, sequences_longest(sequences))};
    pool_for(pool, sequences.count * shape->keys, 1, backward_key, &task);
}
