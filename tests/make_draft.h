/* make_draft.h - what the block of a draft head has in front of a block, and at its ends; and a head in a file of its own. */
#ifndef STRATA_MAKE_DRAFT_H
#define STRATA_MAKE_DRAFT_H

#include "make_tensors.h"

static inline void make_draft(GgufWriter *w, const MakeModel *m, size_t l) {
    if (!make_drafts(m, l)) return;
    make_norm(w, m, l, "nextn.enorm", m->dim), make_norm(w, m, l, "nextn.hnorm", m->dim);
    make_map(w, m, l, "nextn.eh_proj", m->dim, 2 * m->dim);
    if (!make_says(m, "draft_ends")) return;
    make_norm(w, m, l, "nextn.shared_head_norm", m->dim);
    make_map(w, m, l, "nextn.embed_tokens", MAKE_VOCAB, m->dim);
    make_map(w, m, l, "nextn.shared_head_head", MAKE_VOCAB, m->dim);
}

/* Rows of its head are of tokens in no order. */
static inline void make_draft_head(GgufWriter *w, const MakeModel *m) {
    int64_t tokens[MAKE_VOCAB];
    size_t few = make_size(m, "few", 0);
    make_matrix(w, m, "fc.weight", m->dim, 3 * make_size(m, "target", m->dim), 1.5);
    for (size_t i = 0; i < few; i++) tokens[i] = (int64_t)(5 * i + 97) % MAKE_VOCAB;
    Tensor t = tensor_view(DTYPE_I64, 1, &few, tokens);
    if (few) gguf_put_tensor(w, "d2t", &t);
}

/* Maps from two rows of the model, and to the next one. */
static inline void make_assistant(GgufWriter *w, const MakeModel *m) {
    size_t width = make_size(m, "assists", 0);
    make_matrix(w, m, "nextn.pre_projection.weight", m->dim, 2 * width, 1.5);
    make_matrix(w, m, "nextn.post_projection.weight", width, m->dim, 1.5);
}

#endif
