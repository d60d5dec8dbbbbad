/* activation_cache.c - see activation_cache.h. */
#include "session_probe.h"
#include "activation_cache.h"

#include <math.h>
#include <string.h>

static const unsigned wanted = 1u << PROBE_EMBEDDED | 1u << PROBE_WEIGHTS | 1u << PROBE_MIXED |
                               1u << PROBE_NEURONS | 1u << PROBE_AFTER;

size_t activation_places(const ActivationCache *g) { return 2 * g->layers + 1; }

static float *weights_at(const ActivationCache *g, size_t layer, size_t head, size_t position) {
    return g->weights + ((layer * g->heads + head) * g->ctx + position) * g->ctx;
}
static float *stream_at(const ActivationCache *g, size_t place, size_t position) {
    return g->streams + (place * g->ctx + position) * g->dim;
}
static float *neurons_at(const ActivationCache *g, size_t layer, size_t position) {
    return g->neurons + (layer * g->ctx + position) * g->hidden;
}

const float *activation_weights(const ActivationCache *g, size_t layer, size_t head,
                                size_t position) {
    return weights_at(g, layer, head, position);
}
const float *activation_stream(const ActivationCache *g, size_t place, size_t position) {
    return stream_at(g, place, position);
}
const float *activation_neurons(const ActivationCache *g, size_t layer, size_t position) {
    return neurons_at(g, layer, position);
}

float activation_size(const ActivationCache *g, size_t place, size_t position) {
    const float *x = stream_at(g, place, position);
    return sqrtf(dot_f32(x, x, g->dim) / (float)g->dim);
}

static void keep_weights(const ActivationCache *g, const Seen *s, size_t position) {
    float *row = weights_at(g, s->layer, s->head, position);
    memset(row, 0, s->from * sizeof *row);
    memcpy(row + s->from, s->rows, s->width * sizeof *row);
}

static void activation_keep_rows(const ActivationCache *g, const Seen *s) {
    size_t place =
        s->part == PROBE_EMBEDDED ? 0 : 2 * s->layer + (s->part == PROBE_MIXED ? 1 : 2);
    for (size_t i = 0; i < s->count; i++) {
        size_t position = (size_t)s->batch->position[i];
        float *to = s->part == PROBE_NEURONS ? neurons_at(g, s->layer, position)
                                             : stream_at(g, place, position);
        memcpy(to, s->rows + i * s->width, s->width * sizeof *to);
    }
}

static void keep(void *context, const Seen *s) {
    const ActivationCache *g = context;
    if (s->part == PROBE_WEIGHTS)
        keep_weights(g, s, (size_t)s->batch->position[s->row]);
    else
        activation_keep_rows(g, s);
}

static void activation_layout(ActivationCache *g) {
    size_t f = sizeof(float), squares = g->layers * g->heads * g->ctx * g->ctx,
           vocab = g->session->model->sizes.vocab;
    g->weights = arena_take(&g->arena, squares, f);
    g->streams = arena_take(&g->arena, activation_places(g) * g->ctx * g->dim, f);
    g->neurons = arena_take(&g->arena, g->layers * g->ctx * g->hidden, f);
    g->row = arena_take(&g->arena, g->ctx, f);
    g->shares = arena_take(&g->arena, vocab, f);
}

bool activation_open(ActivationCache *g, Session *session, size_t ctx, Fault *fault) {
    const Model *m = session->model;
    *g = (ActivationCache){
        .session = session, .ctx = ctx, .layers = m->sizes.layers, .dim = m->sizes.dim};
    for (size_t l = 0; l < g->layers; l++) {
        const Block *b = &m->blocks[l];
        const Tensor *up = &b->ffn.net.up.w; /* beside experts, too */
        if (b->attention.o.w.data) g->heads = max_size(g->heads, b->attention.shape.heads);
        if (up->data) g->hidden = max_size(g->hidden, up->shape[0]);
    }
    arena_measure(&g->arena);
    activation_layout(g);
    if (!arena_init(&g->arena, g->arena.used, fault)) return false;
    activation_layout(g);
    return true;
}

void activation_close(ActivationCache *g) {
    if (g->session) g->session->run.probe = NULL;
    arena_free(&g->arena);
    *g = (ActivationCache){0};
}

bool activation_watch(ActivationCache *g, const Act *acts, size_t count, Fault *fault) {
    g->probe = (Probe){.see = keep,
                       .context = g,
                       .wants = wanted,
                       .weights = g->row,
                       .acts = acts,
                       .count = count};
    session_reset(g->session);
    return session_probe(g->session, &g->probe, fault);
}

const float *activation_lens(ActivationCache *g, size_t place, size_t position) {
    session_lens(g->session, stream_at(g, place, position));
    softmax(g->shares, g->session->logits, g->session->model->sizes.vocab);
    return g->shares;
}
