/* reference_draft.h - the draft head of a model, in double precision. */
#ifndef STRATA_REFERENCE_DRAFT_H
#define STRATA_REFERENCE_DRAFT_H

#include "reference.h"

/* What the head's own tensor is called, "nextn.NAME", or what the model's is; *layer where it lies. */
static inline const char *reference_own(const Reference *r, const char *own, const char *other,
                                        int *layer) {
    *layer = reference_layers(r);
    if (reference_weight(r, *layer, own)) return own;
    return *layer = -1, other;
}

/* x (dim) = what goes into the head's block, from a token and h (dim) of the one before; h NULL: zeros. */
static inline void reference_join(const Reference *r, int32_t token, const double *h, int dim,
                                  double *x) {
    double both[REFERENCE_WIDEST] = {0};
    int l = reference_layers(r), at;
    const char *table = reference_own(r, "nextn.embed_tokens", "token_embd", &at);
    reference_norm(r, l, "nextn.enorm", reference_weight(r, at, table) + token * dim, dim,
                   both);
    if (h) {
        reference_norm(r, -1, reference_says(r, "bare-head") ? "" : "output_norm", h, dim,
                       both + dim);
        reference_norm(r, l, "nextn.hnorm", both + dim, dim, both + dim);
    }
    reference_rows(r, l, "nextn.eh_proj", 0, dim, both, x);
}

/* logits (n, vocab): in row p the head says what follows token p, from it and from what the model knew before. */
static inline void reference_draft(const Reference *r, const int32_t *tokens, int n,
                                   double *logits) {
    int dim = reference_size(r, "embedding_length", 0, 0), l = reference_layers(r), at,
        vocab = (int)reference_find(r, -1, "token_embd", "weight")->shape[0];
    double *h = reference_stream(r, tokens, n), *x = malloc(sizeof *x * (size_t)(n * dim));
    ReferenceMemory *memory = malloc(sizeof *memory * (size_t)(l + 1));
    for (int t = 0; t < n; t++)
        reference_join(r, tokens[t], t ? h + (t - 1) * dim : NULL, dim, x + t * dim);
    reference_block(r, l, n, x, memory, x);
    for (int t = 0; t < n; t++, logits += vocab) {
        double row[REFERENCE_WIDEST];
        const char *norm = reference_own(r, "nextn.shared_head_norm", "output_norm", &at);
        reference_norm(r, at, norm, x + t * dim, dim, row);
        const char *head = reference_weight(r, -1, "output") ? "output" : "token_embd";
        head = reference_own(r, "nextn.shared_head_head", head, &at);
        reference_rows(r, at, head, 0, vocab, row, logits);
    }
    free(memory[l].k), free(memory[l].v);
    free(memory), free(x), free(h);
}

#endif
