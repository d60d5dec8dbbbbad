/* draft_head.c - see draft_head.h. */
#include "draft_head.h"

#include <string.h>

bool draft_head_is(const Model *m) { return m->blocks[0].join.map.w.data; }

bool draft_head_open(Model *head, const Model *m, Fault *fault) {
    if (!m->sizes.drafts)
        return fault_set(fault,
                         "this %s model has no draft head: its file says no "
                         "nextn_predict_layers; take a smaller model that drafts for it",
                         m->recipe->arch);
    const DraftEnds *own = &m->draft;
    *head = *m;
    head->layers += m->sizes.layers, head->blocks += m->sizes.layers;
    head->sizes.layers = 1, head->sizes.drafts = 0;
    if (own->embedding.data) head->embedding = own->embedding;
    if (own->out_norm.kind) head->out_norm = own->out_norm;
    if (own->head.w.data) head->head = own->head;
    return true;
}

void draft_head_row(const Session *s, size_t i, float *row) {
    const Model *m = s->model;
    size_t dim = m->sizes.dim;
    if (m->recipe->draft_bare)
        memcpy(row, s->x + i * dim, dim * sizeof *row);
    else
        norm_apply(&m->out_norm, row, s->x + i * dim, dim);
}
