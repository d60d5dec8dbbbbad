/* draft_head.c - see draft_head.h. */
#include "draft_head.h"
#include "families/parts.h"

#include <math.h>
#include <string.h>

bool draft_head_is(const Model *m) {
    const BlockExtras *e = m->blocks[0].extras;
    return (e && e->join.token_norm.kind) || assistant_is(m);
}

size_t draft_head_width(const Model *head) {
    return assistant_is(head) ? model_extras(head)->draft_head.width : head->sizes.dim;
}

bool draft_head_open(Model *head, const Model *m, Fault *fault) {
    if (!model_extras(m)->drafts)
        return fault_set(fault,
                         "this %s model has no draft head: its file says no "
                         "nextn_predict_layers; take a smaller model that drafts for it",
                         m->recipe->arch);
    const DraftEnds *own = &model_extras(m)->draft;
    *head = *m;
    head->layers += m->sizes.layers, head->blocks += m->sizes.layers;
    head->sizes.layers = head->sizes.blocks = 1;
    if (own->embedding.data) head->embedding = own->embedding;
    if (own->out_norm.kind) head->out_norm = own->out_norm;
    if (own->head.w.data) head->head = own->head;
    return true;
}

static bool check_rows(const DraftHead *g, const Model *m, Fault *fault) {
    const char *wanted = "wanted a head that was trained for this model";
    const ModelExtras *e = model_extras(m);
    if (e->encoder || e->streams || e->quirks->bidirectional || e->quirks->is_draft_head)
        return fault_set(fault, "no draft head in a file of its own reads rows of a %s model",
                         m->recipe->arch);
    if (g->width != m->sizes.dim)
        return fault_set(fault,
                         "the draft head reads rows of %zu numbers (target_hidden_size), those "
                         "of the model have %zu: %s",
                         g->width, m->sizes.dim, wanted);
    for (size_t i = 0; i < DRAFT_DEPTHS; i++)
        if (g->layers[i] >= m->sizes.layers)
            return fault_set(fault,
                             "the draft head reads what goes into layer %zu (target_layers), "
                             "those of the model are 0 to %zu: %s",
                             g->layers[i], m->sizes.layers - 1, wanted);
    return true;
}

/* The model's tensors must fit where the head has none. */
static bool check_ends(const Model *head, const Model *m, Fault *fault) {
    if (head->sizes.vocab != m->sizes.vocab)
        return fault_set(
            fault, "the draft head has %zu tokens, the model %zu: they must share a vocabulary",
            head->sizes.vocab, m->sizes.vocab);
    if ((head->embedding.data && head->head.w.data) || head->sizes.dim == m->sizes.dim)
        return true;
    return fault_set(fault,
                     "the draft head has no %s, and rows of %zu numbers, for which the "
                     "model's, of %zu, will not do: the file is incomplete, convert it again",
                     head->embedding.data ? "output.weight" : "token_embd.weight",
                     head->sizes.dim, m->sizes.dim);
}

bool draft_head_fit(Model *head, const Model *m, Fault *fault) {
    if (assistant_is(head)) return assistant_fit(head, m, fault);
    if (!model_extras(head)->quirks->is_draft_head)
        return fault_set(fault, "a %s model is not a draft head", head->recipe->arch);
    if (!check_rows(&head->extras->draft_head, m, fault) || !check_ends(head, m, fault))
        return false;
    head->extras->draft_head.model = m;
    if (!head->embedding.data) head->embedding = m->embedding;
    if (!head->head.w.data) head->head = m->head;
    return true;
}

/* Map the inputs of three layers to h, for as many tokens at a time as fit. */
static void map_depths(Session *head, const Linear *depths, const float *tapped, size_t count,
                       float *rows) {
    for (size_t i = 0, n; i < count; i += n) {
        n = min_size(count - i, head->max_tokens);
        linear(head->pool, depths, tapped + i * depths->w.shape[1], n,
               rows + i * depths->w.shape[0],
               ((WiringRun *)block_memory(&head->run, wiring_open))->join.scratch);
    }
}

void draft_head_rows(Session *head, const Session *s, size_t count, float *rows) {
    const Model *m = s->model;
    const Linear *depths = &head->model->blocks[0].extras->join.depths;
    const size_t dim = m->sizes.dim;
    if (assistant_is(m)) {
        assistant_rows(head, rows);
        return;
    }
    if (depths->w.data && m != head->model) {
        map_depths(head, depths, s->extras->tap.rows, count, rows);
        return;
    }
    REQUIRE(s->all_rows, "a session without all_rows, whose last rows may be undefined");
    for (size_t i = 0; i < count; i++)
        if (model_extras(m)->quirks->draft_before_norm)
            memcpy(rows + i * dim, s->x + i * dim, dim * sizeof *rows);
        else
            norm_apply(&m->out_norm, rows + i * dim, s->x + i * dim, dim);
}

static void spread_row(const DraftHead *g, const float *few, float *logits, size_t vocab) {
    float least = few[0];
    for (size_t i = 1; i < g->count; i++) least = fminf(least, few[i]);
    for (size_t t = 0; t < vocab; t++)
        logits[t] = g->row_of[t] < 0 ? least - 200 : few[g->row_of[t]];
}

/* The short rows come first in memory, so the last one is expanded first. */
void draft_head_spread(Session *s, const Batch *batch) {
    const Model *m = s->model;
    const DraftHead *g = &model_extras(m)->draft_head;
    const size_t few = g->count;
    size_t wanted = 0;
    for (size_t i = 0; i < batch->count; i++) wanted += batch->wanted[i];
    while (wanted-- > 0) {
        memcpy(s->extras->reduced_logits, s->logits + wanted * few, few * sizeof(float));
        spread_row(g, s->extras->reduced_logits, s->logits + wanted * m->sizes.vocab,
                   m->sizes.vocab);
    }
}
