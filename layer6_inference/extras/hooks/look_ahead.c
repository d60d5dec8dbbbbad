/* look_ahead.c - see look_ahead.h. */
#include "families.h"
#include "look_ahead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct LookAhead {
    Session *session; /* borrows */
    const Slot *slot;
    const bool *used; /* (sequences) borrows; unused ones may be forked into */
    float *states;    /* (count, dim) unit vectors, one per evaluated token; owns */
    size_t count, room;
    float *next; /* (dim) scratch; owns */
    Fault fault;
} LookAhead;

static void unit_vector(float *out, const float *x, size_t n) {
    float scale = 1 / (sqrtf(dot_f32(x, x, n)) + 1e-20f);
    for (size_t i = 0; i < n; i++) out[i] = x[i] * scale;
}

/* Keep the hidden states of newly evaluated tokens. */
static bool look_ahead_read(Extra *x, Sequence *s, Fault *fault) {
    LookAhead *look = x->state;
    const Slot *r = s->slot;
    size_t dim = look->session->model->sizes.dim;
    if (!GROW(look->states, look->room, (look->count + r->rows) * dim))
        return fault_set(fault, "no memory for %zu hidden states", look->count + r->rows);
    for (size_t i = 0; i < r->rows; i++)
        unit_vector(look->states + look->count++ * dim,
                    look->session->hidden + (r->row + i) * dim, dim);
    return true;
}

static void look_ahead_forget(Extra *x, Sequence *s) {
    (void)s;
    ((LookAhead *)x->state)->count = 0;
}

/* The largest cosine between a row of hidden states and those of the text. */
static float nearest_state(LookAhead *look, size_t row) {
    size_t dim = look->session->model->sizes.dim;
    float best = -1;
    unit_vector(look->next, look->session->hidden + row * dim, dim);
    for (size_t k = 0; k < look->count; k++)
        best = fmaxf(best, dot_f32(look->next, look->states + k * dim, dim));
    return best;
}

/* The text's own sequence and unused ones, at most `max`, each with a free page in every
 * layer. */
static size_t take_forks(const LookAhead *look, int32_t *forks, size_t max) {
    const KvCache *kv = &look->session->kv;
    size_t n = 0, layers = 0; /* with a KV cache */
    for (size_t l = 0; l < kv->config.layers; l++) layers += kv->shape[l].kv_heads > 0;
    forks[n++] = (int32_t)look->slot->id;
    if (layers && max > kv->pages.free_count / layers) max = kv->pages.free_count / layers;
    for (size_t i = 0; i < kv->config.sequences && n < max; i++)
        if (!look->used[i]) forks[n++] = (int32_t)i;
    return n;
}

/* Evaluate n continuations at once; the session then holds their hidden states. */
static bool read_forks(LookAhead *look, const int32_t *forks, const int32_t *tokens, size_t n,
                       size_t length) {
    Session *s = look->session;
    int32_t position[PREFILL_BATCH];
    bool wanted[PREFILL_BATCH];
    for (size_t i = 0; i < n; i++) {
        if (i) kv_fork(&s->kv, (size_t)forks[i], look->slot->id);
        position[i] = (int32_t)length, wanted[i] = true;
    }
    Batch batch = {n, tokens, forks, position, wanted, NULL};
    s->hidden_only = true;
    bool ok = session_forward(s, &batch, &look->fault);
    s->hidden_only = false;
    for (size_t i = 0; i < n; i++) session_rewind(s, (size_t)forks[i], i ? 0 : length);
    return ok;
}

bool look_ahead(void *context, const int32_t *tokens, size_t n, float *similarity) {
    LookAhead *look = context;
    const Session *s = look->session;
    size_t max = s->max_tokens < s->max_logits ? s->max_tokens : s->max_logits,
           length = session_length(s, look->slot->id);
    int32_t forks[PREFILL_BATCH];
    size_t n_forks = take_forks(look, forks, max < PREFILL_BATCH ? max : PREFILL_BATCH);
    for (size_t at = 0; at < n; at += n_forks) {
        size_t m = n - at < n_forks ? n - at : n_forks;
        if (!read_forks(look, forks, tokens + at, m, length)) return false;
        for (size_t i = 0; i < m; i++) similarity[at + i] = nearest_state(look, i);
    }
    return true;
}

static bool look_ahead_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    Session *session = e->runners[0].session;
    if (model_extras(session->model)->encoder)
        return fault_set(fault,
                         "a stage that looks ahead does not work with encoder-decoder models");
    LookAhead *look = x->state = calloc(1, sizeof *look);
    if (!look || !(look->next = malloc(session->model->sizes.dim * sizeof *look->next)))
        return fault_set(fault, "no memory for a hidden state");
    look->session = session, look->slot = s->slot, look->used = e->runners[0].used;
    s->step.look_ahead = look_ahead, s->step.look_ahead_context = look;
    s->plan.every_row = s->plan.alone = s->plan.reads_all = true;
    return true;
}

static void look_ahead_close(Extra *x) {
    LookAhead *look = x->state;
    if (look) free(look->states), free(look->next), free(look);
}

static const ExtraKind look_ahead_kind = {.open = look_ahead_open,
                                          .close = look_ahead_close,
                                          .read = look_ahead_read,
                                          .forget = look_ahead_forget};

void with_look_ahead(GenerateOptions *o) {
    if (chain_needs(o->chain, NEEDS_LOOK_AHEAD))
        generate_with(o, (Extra){.kind = &look_ahead_kind});
}
