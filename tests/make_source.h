/* make_source.h - an encoder, and blocks that write with a look at what it read, as T5 files have them. */
#ifndef STRATA_MAKE_SOURCE_H
#define STRATA_MAKE_SOURCE_H

#include "make_tensors.h"

/* "enc.blk.2.attn_q.weight" */
typedef struct SourceName {
    char text[96];
} SourceName;

static inline SourceName make_source_name(const char *side, size_t l, const char *what) {
    SourceName name;
    snprintf(name.text, sizeof name.text, "%s.blk.%zu.%s.weight", side, l, what);
    return name;
}

/* Nothing scales scores: maps of queries and keys are small. */
static inline void make_looks(GgufWriter *w, const MakeModel *m, const char *side, size_t l,
                              const char *kind) {
    size_t inner = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim;
    const struct {
        const char *end;
        size_t out, in;
        double gain;
    } maps[] = {{"q", inner, m->dim, 0.5},
                {"k", kv, m->dim, 1.5},
                {"v", kv, m->dim, 1},
                {"o", m->dim, inner, 1.5}};
    char what[60];
    snprintf(what, sizeof what, "%s_norm", kind);
    make_tensor(w, m, make_source_name(side, l, what).text, 1, &m->dim, 1, 0.15, DTYPE_F32);
    for (int i = 0; i < 4; i++) {
        snprintf(what, sizeof what, "%s_%s", kind, maps[i].end);
        make_matrix(w, m, make_source_name(side, l, what).text, maps[i].out, maps[i].in,
                    maps[i].gain);
    }
}

static inline void make_source_block(GgufWriter *w, const MakeModel *m, const char *side,
                                     size_t l, bool cross) {
    size_t buckets = make_size(m, "buckets", 0);
    make_looks(w, m, side, l, "attn");
    if (l == 0 || make_says(m, "own_distances"))
        make_tensor(w, m, make_source_name(side, l, "attn_rel_b").text, 2,
                    (size_t[]){buckets, m->heads}, 0, 1, DTYPE_F32);
    if (cross) make_looks(w, m, side, l, "cross_attn");
    make_tensor(w, m, make_source_name(side, l, "ffn_norm").text, 1, &m->dim, 1, 0.15,
                DTYPE_F32);
    if (!make_says(m, "plain"))
        make_matrix(w, m, make_source_name(side, l, "ffn_gate").text, m->hidden, m->dim, 1.5);
    make_matrix(w, m, make_source_name(side, l, "ffn_up").text, m->hidden, m->dim, 1.5);
    make_matrix(w, m, make_source_name(side, l, "ffn_down").text, m->dim, m->hidden, 1.5);
}

/* All blocks of the file: an encoder's, and those that write, `written` of them. */
static inline void make_source_blocks(GgufWriter *w, const MakeModel *m) {
    size_t written = make_says(m, "encoder") ? 0 : make_size(m, "written", m->layers);
    for (size_t l = 0; l < m->layers; l++) make_source_block(w, m, "enc", l, false);
    for (size_t l = 0; l < written; l++) make_source_block(w, m, "dec", l, true);
}

#endif
