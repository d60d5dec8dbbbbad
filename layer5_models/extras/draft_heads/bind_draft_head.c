/* bind_draft_head.c - a draft head's file beyond its block: keys target_*,
 * norm_before_residual; tensors fc, d2t.  See draft_head.h.
 *
 * Source   llama.cpp (d8a24cc), src/models/eagle3.cpp, conversion/llama.py. */
#include "families/parts.h"

#include <stdio.h>
#include <string.h>

static void read_depths(Binder *b, size_t *layers) {
    const GgufPair *pair = find_key(b, "target_layers");
    bool whole = pair && pair->type == GGUF_ARRAY && pair->count == DRAFT_DEPTHS &&
                 pair->item != GGUF_BOOL;
    for (uint64_t i = 0; i < DRAFT_DEPTHS && b->ok; i++) {
        int64_t layer;
        if (whole && gguf_int(pair, i, &layer) && layer >= 0 && layer < MODEL_LAYERS)
            layers[i] = (size_t)layer;
        else
            refuse_key(b, "target_layers", "three numbers of layers, from 0",
                       "rows that go into these are what the head reads");
    }
}

/* d2t: the token of each row of the head. */
static const GgufTensor *find_tokens(Binder *b) {
    const GgufTensor *t = gguf_find_tensor(&b->model->gguf, "d2t");
    char shape[80];
    if (!t || !b->ok) return NULL;
    b->used_tensors[t - b->model->gguf.tensors] = true;
    if (t->dtype == DTYPE_I64 && t->ndim == 1 && t->shape[0] <= b->model->sizes.vocab) return t;
    b->ok = fault_set(b->fault,
                      "tensor 'd2t' is %s in %s, wanted at most %zu in I64: the token of each "
                      "row of output.weight",
                      tensor_shape_text(t->ndim, t->shape, shape, sizeof shape),
                      dtype_name(t->dtype), b->model->sizes.vocab);
    return NULL;
}

static void invert(Binder *b, const GgufTensor *t, int32_t *row_of) {
    const size_t vocab = b->model->sizes.vocab;
    for (size_t i = 0; i < vocab; i++) row_of[i] = -1;
    for (size_t i = 0; i < t->shape[0] && b->ok; i++) {
        int64_t token;
        memcpy(&token, t->data + i * sizeof token, sizeof token);
        if (token < 0 || token >= (int64_t)vocab || row_of[token] >= 0)
            b->ok = fault_set(b->fault,
                              "tensor 'd2t' says token %lld in row %zu, wanted from 0 to %zu, "
                              "each at most once: the file is badly written, convert it again",
                              (long long)token, i, vocab - 1);
        else
            row_of[token] = (int32_t)i;
    }
}

void bind_draft_head(Binder *b) {
    Model *m = b->model;
    DraftHead *g = &m->extras->draft_head;
    read_depths(b, g->layers);
    g->width = need_size(b, "target_hidden_size", 1, MAX_SIZE);
    const GgufTensor *tokens = find_tokens(b);
    g->count = tokens ? tokens->shape[0] : m->sizes.vocab;
    g->row_of = tokens ? arena_take(&m->arena, m->sizes.vocab, sizeof *g->row_of) : NULL;
    if (g->row_of) invert(b, tokens, g->row_of);
}

void bind_depths(Binder *b, Join *join) {
    const Model *m = b->model;
    join->normed = key_bool(b, "norm_before_residual", false);
    join->depths =
        bind_map(b, "fc", true, m->sizes.dim, DRAFT_DEPTHS * m->extras->draft_head.width,
                 "embedding_length and target_hidden_size");
}
