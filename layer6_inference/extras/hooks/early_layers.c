/* early_layers.c - see early_layers.h. */
#include "early_layers.h"
#include "engine/take.h"
#include "families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the states */

static bool read_layers(EarlyLayers *early, const char *text, Fault *fault) {
    const size_t last = early->session->model->sizes.layers - 1;
    char *end;
    for (const char *at = text;; at = end + 1) {
        unsigned long l = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : last;
        bool valid = l < last && (!*end || *end == ',');
        for (size_t k = 0; k < early->count; k++) valid &= early->before[k] != l + 1;
        if (!valid)
            return fault_set(fault,
                             "'%.40s': wanted layers from 0 to %zu, each once, separated by "
                             "commas: the last one is the model itself",
                             text, last - 1);
        early->before[early->count++] = l + 1;
        if (!*end) return true;
    }
}

static bool can_exit_early(const Model *m, Fault *fault) {
    const ModelExtras *x = model_extras(m);
    const char *why = x->encoder            ? "reads its text in an encoder"
                      : x->streams          ? "has several streams between its layers"
                      : m->sizes.layers < 2 ? "has one layer"
                                            : NULL;
    return !why || fault_set(fault, "this %s model %s: it has no early layers to predict from",
                             m->recipe->arch, why);
}

static void early_layout(EarlyLayers *early) {
    const Session *s = early->session;
    const size_t dim = s->model->sizes.dim, f = sizeof(float);
    early->rows = arena_take(&early->arena, s->max_tokens * early->count * dim, f);
    early->kept_logits = arena_take(&early->arena, s->model->sizes.vocab, f);
    early->kept_hidden = arena_take(&early->arena, dim, f);
}

bool early_layers_open(EarlyLayers *early, Session *session, const char *text, Fault *fault) {
    *early = (EarlyLayers){.session = session};
    if (!can_exit_early(session->model, fault) || !read_layers(early, text, fault))
        return false;
    arena_measure(&early->arena);
    early_layout(early);
    if (!arena_init(&early->arena, early->arena.used, fault)) return false;
    early_layout(early);
    session_tap(session, early->before, early->count, early->rows);
    return true;
}

void early_layers_close(EarlyLayers *early) {
    if (early->rows) session_tap(early->session, NULL, 0, NULL);
    arena_free(&early->arena);
    *early = (EarlyLayers){0};
}

/* The logits (vocab) that the k-th layer gives token i of the last batch. */
static void early_logits(const EarlyLayers *early, size_t i, size_t k, float *logits) {
    Session *s = early->session;
    const size_t dim = s->model->sizes.dim, vocab = s->model->sizes.vocab;
    memcpy(early->kept_logits, s->logits, vocab * sizeof *logits);
    memcpy(early->kept_hidden, s->hidden, dim * sizeof *logits);
    session_lens(s, early->rows + (i * early->count + k) * dim);
    memcpy(logits, s->logits, vocab * sizeof *logits);
    memcpy(s->logits, early->kept_logits, vocab * sizeof *logits);
    memcpy(s->hidden, early->kept_hidden, dim * sizeof *logits);
}

/* ------------------------------------------------------------------ the choice */

static double term(double p, double mean) { return p > 0 ? p * log(p / mean) : 0; }

double jensen_shannon(const float *a, const float *b, size_t n) {
    double sum_a = log_sum_exp(a, n), sum_b = log_sum_exp(b, n), twice = 0;
    for (size_t i = 0; i < n; i++) {
        double p = exp((double)a[i] - sum_a), q = exp((double)b[i] - sum_b), mean = (p + q) / 2;
        twice += term(p, mean) + term(q, mean);
    }
    return twice / 2;
}

typedef struct EarlyText {
    const ModelRunner *runner;
    float *row, *other; /* (vocab) the amateur's, and the next layer's */
} EarlyText;

static bool early_text_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    const EarlyLayers *early = x->wish;
    const size_t vocab = early->session->model->sizes.vocab;
    REQUIRE(early->session == e->runners[0].session, "early layers of another session");
    EACH_EXTRA(other, s, take) {
        return fault_set(fault, "early layers are read for one token at a time: no drafts");
    }
    EarlyText *text = x->state = calloc(1, sizeof *text + 2 * vocab * sizeof(float));
    if (!text) return fault_set(fault, "no memory for an early layer's logits");
    text->runner = &e->runners[0];
    text->row = (float *)(text + 1), text->other = text->row + vocab;
    s->step.amateur = text->row; /* zeros until the first is evaluated */
    return true;
}

static void early_text_close(Extra *x) { free(x->state); }

/* Which token of the batch has this row of logits? */
static size_t early_token(const ModelRunner *runner, size_t row) {
    size_t i = 0;
    for (; !runner->wanted[i] || row > 0; i++) row -= runner->wanted[i];
    return i;
}

/* On the engine's thread, before any text chooses: the head has the whole pool. */
static bool early_text_read(Extra *x, Sequence *s, Fault *fault) {
    const EarlyLayers *early = x->wish;
    EarlyText *text = x->state;
    const Slot *slot = s->slot;
    const size_t vocab = early->session->model->sizes.vocab;
    double farthest = -1;
    (void)fault;
    if (!s->ready) return true;
    size_t token = early_token(text->runner, slot->row + slot->rows - 1);
    for (size_t k = 0; k < early->count; k++) {
        early_logits(early, token, k, text->other);
        double far = early->count > 1 ? jensen_shannon(slot_row(slot), text->other, vocab) : 0;
        if (k > 0 && !(far > farthest)) continue;
        float *row = text->other;
        text->other = text->row, text->row = row, farthest = far;
    }
    s->step.amateur = text->row;
    return true;
}

static const ExtraKind early_kind = {
    .open = early_text_open, .close = early_text_close, .read = early_text_read};

void with_early_layers(GenerateOptions *o, EarlyLayers *early) {
    generate_with(o, (Extra){.kind = &early_kind, .wish = early});
}
