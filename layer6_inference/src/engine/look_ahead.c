/* look_ahead.c - see look_ahead.h. */
#include "look_ahead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool look_ahead_open(LookAhead *look, Session *session, size_t sequence, const bool *used,
                     Fault *fault) {
    *look = (LookAhead){.session = session,
                        .sequence = sequence,
                        .used = used,
                        .next = malloc(session->model->sizes.dim * sizeof *look->next)};
    return look->next || fault_set(fault, "no memory for a hidden state");
}

void look_ahead_close(LookAhead *look) { free(look->states), free(look->next); }

static void unit(float *out, const float *x, size_t n) {
    float scale = 1 / (sqrtf(dot_f32(x, x, n)) + 1e-20f);
    for (size_t i = 0; i < n; i++) out[i] = x[i] * scale;
}

bool look_ahead_keep(LookAhead *look, size_t first, size_t n, Fault *fault) {
    size_t dim = look->session->model->sizes.dim;
    if (look->count + n > look->room) {
        size_t room = 2 * (look->count + n) + 64;
        float *states = realloc(look->states, room * dim * sizeof *states);
        if (!states) return fault_set(fault, "no memory for %zu hidden states", room);
        look->states = states, look->room = room;
    }
    for (size_t i = 0; i < n; i++)
        unit(look->states + look->count++ * dim, look->session->hidden + (first + i) * dim,
             dim);
    return true;
}

void look_ahead_forget(LookAhead *look) { look->count = 0; }

/* The largest cosine between a row of hidden states and those of the text. */
static float nearest(LookAhead *look, size_t row) {
    size_t dim = look->session->model->sizes.dim;
    float best = -1;
    unit(look->next, look->session->hidden + row * dim, dim);
    for (size_t k = 0; k < look->count; k++)
        best = fmaxf(best, dot_f32(look->next, look->states + k * dim, dim));
    return best;
}

/* The text's own sequence and those that nobody uses, at most `max`, each with a page for each
 * layer. */
static size_t take_forks(const LookAhead *look, int32_t *forks, size_t max) {
    const KvCache *kv = &look->session->kv;
    size_t n = 0, layers = 0; /* layers: that keep something of a position */
    for (size_t l = 0; l < kv->config.layers; l++) layers += kv->shape[l].kv_heads > 0;
    forks[n++] = (int32_t)look->sequence;
    if (layers && max > kv->pages.free_count / layers) max = kv->pages.free_count / layers;
    for (size_t i = 0; i < kv->config.sequences && n < max; i++)
        if (!look->used[i]) forks[n++] = (int32_t)i;
    return n;
}

/* The text goes on in n ways at once; the session holds their hidden states then. */
static bool read_forks(LookAhead *look, const int32_t *forks, const int32_t *tokens, size_t n,
                       size_t length) {
    Session *s = look->session;
    int32_t position[PREFILL_BATCH];
    bool wanted[PREFILL_BATCH];
    for (size_t i = 0; i < n; i++) {
        if (i) kv_fork(&s->kv, (size_t)forks[i], look->sequence);
        position[i] = (int32_t)length, wanted[i] = true;
    }
    Batch batch = {n, tokens, forks, position, wanted, NULL};
    s->hidden_only = true;
    bool ok = model_forward(s, &batch, &look->fault);
    s->hidden_only = false;
    for (size_t i = 0; i < n; i++) session_rewind(s, (size_t)forks[i], i ? 0 : length);
    return ok;
}

bool look_ahead(void *context, const int32_t *tokens, size_t n, float *similarity) {
    LookAhead *look = context;
    const Session *s = look->session;
    size_t max = s->max_tokens < s->max_logits ? s->max_tokens : s->max_logits,
           length = session_length(s, look->sequence);
    int32_t forks[PREFILL_BATCH];
    size_t n_forks = take_forks(look, forks, max < PREFILL_BATCH ? max : PREFILL_BATCH);
    for (size_t at = 0; at < n; at += n_forks) {
        size_t m = n - at < n_forks ? n - at : n_forks;
        if (!read_forks(look, forks, tokens + at, m, length)) return false;
        for (size_t i = 0; i < m; i++) similarity[at + i] = nearest(look, i);
    }
    return true;
}
