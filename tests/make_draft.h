/* make_draft.h - what the block of a draft head has in front of a block, and at its ends. */
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

#endif
