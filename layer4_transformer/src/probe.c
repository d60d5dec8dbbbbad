/* probe.c - see probe.h. */
#include "attention/attention_row.h"
#include "probe.h"

#include <string.h>

static bool wants(const Probe *p, ProbePart part) { return p->see && p->wants >> part & 1; }

static bool is_here(const Probe *p, const Act *act, ActKind kind) {
    return act->kind == kind && (act->layer == p->layer || act->layer == ACT_ALL);
}

static void show(const Probe *p, ProbePart part, const float *rows, size_t width) {
    if (!wants(p, part)) return;
    const Seen seen = {.part = part,
                       .layer = p->layer,
                       .batch = p->batch,
                       .rows = rows,
                       .count = p->batch->count,
                       .width = width};
    p->see(p->context, &seen);
}

void probe_enter(Probe *p, size_t layer, const Batch *batch) {
    p->layer = p->kv_layer = layer, p->batch = batch;
}

static void patch(const Probe *p, float *x, size_t dim) {
    for (const Act *act = p->acts; act < p->acts + p->count; act++)
        for (size_t i = 0; is_here(p, act, ACT_PATCH) && i < p->batch->count; i++)
            if ((size_t)p->batch->position[i] == act->index)
                memcpy(x + i * dim, act->row, dim * sizeof *x);
}

void probe_stream(Probe *p, ProbePart part, float *x, size_t dim) {
    if (part == PROBE_AFTER) patch(p, x, dim);
    show(p, part, x, dim);
}

/* Scale columns from .. from + n - 1 of rows of `width` numbers. */
static void scale_columns(const Probe *p, float *x, size_t width, size_t from, size_t n,
                          float value) {
    for (size_t i = 0; i < p->batch->count; i++)
        for (size_t k = from; k < from + n; k++) x[i * width + k] *= value;
}

static void scale_heads(const Probe *p, ActKind kind, size_t heads, size_t head_dim, float *x) {
    for (const Act *act = p->acts; act < p->acts + p->count; act++) {
        if (!is_here(p, act, kind)) continue;
        float value = kind == ACT_HEAT ? 1 / act->value : act->value;
        bool all = act->index == ACT_ALL;
        scale_columns(p, x, heads * head_dim, all ? 0 : act->index * head_dim,
                      all ? heads * head_dim : head_dim, value);
    }
}

/* Scores are linear in q: dividing q by the heat divides them. */
void probe_queries(Probe *p, const AttentionShape *s, float *q) {
    scale_heads(p, ACT_HEAT, s->heads, s->head_dim, q);
}

void probe_weights(Probe *p, const AttentionShape *s, const KvCache *kv, const float *q) {
    if (!wants(p, PROBE_WEIGHTS)) return;
    AttentionShape own = *s;
    for (size_t i = 0; i < p->batch->count; i++) {
        if (s->chosen) own.chosen = s->chosen + i * s->chosen_words;
        for (size_t h = 0; h < s->heads; h++) {
            Range seen = attention_row(&own, kv, p->kv_layer, (size_t)p->batch->sequence[i],
                                       (size_t)p->batch->position[i], h,
                                       q + (i * s->heads + h) * s->head_dim, p->weights);
            const Seen what = {.part = PROBE_WEIGHTS,
                               .layer = p->layer,
                               .batch = p->batch,
                               .rows = p->weights,
                               .count = 1,
                               .width = seen.end - seen.begin,
                               .row = i,
                               .head = h,
                               .from = seen.begin};
            p->see(p->context, &what);
        }
    }
}

void probe_heads(Probe *p, const AttentionShape *s, float *mixed) {
    size_t vd = attention_value_dim(s);
    scale_heads(p, ACT_HEAD, s->heads, vd, mixed);
    show(p, PROBE_HEADS, mixed, s->heads * vd);
}

void probe_neurons(Probe *p, float *a, size_t hidden) {
    for (const Act *act = p->acts; act < p->acts + p->count; act++)
        if (is_here(p, act, ACT_NEURON)) scale_columns(p, a, hidden, act->index, 1, act->value);
    show(p, PROBE_NEURONS, a, hidden);
}

float probe_branch_scale(const Probe *p) {
    float scale = 1;
    for (const Act *act = p->acts; act < p->acts + p->count; act++)
        if (is_here(p, act, ACT_LAYER)) scale *= act->value;
    return scale;
}
