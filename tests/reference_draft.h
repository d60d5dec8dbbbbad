/* reference_draft.h - the draft head of a model, or for one, in double precision. */
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
        vocab = (int)reference_find(r, -1, reference_table(r), "weight")->shape[0];
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

/* ------------------------------------------------------------------ a head in a file of its own */

/* rows (n, dim of the head) = what it reads of a text: a map of what goes into three layers of the model. */
static inline void reference_depths(const Reference *r, const Reference *model,
                                    const int32_t *tokens, int n, double *rows) {
    int dim = reference_size(r, "embedding_length", 0, 0),
        width = reference_size(r, "target_hidden_size", 0, 0);
    double *in = malloc(sizeof *in * (size_t)(3 * n * width));
    for (int k = 0; k < 3; k++) {
        double *x =
            reference_stream_to(model, reference_size(r, "target_layers", k, 0), tokens, n);
        for (int t = 0; t < n; t++)
            memcpy(in + (3 * t + k) * width, x + t * width, sizeof *x * (size_t)width);
        free(x);
    }
    for (int t = 0; t < n; t++)
        reference_rows(r, -1, "fc", 0, dim, in + 3 * t * width, rows + t * dim);
    free(in);
}

/* x (dim) = row `position` of the head behind its block, from a token and g (dim), its row of the token before. */
static inline void reference_guess(const Reference *r, const Reference *model,
                                   const ReferenceLayer *s, int position, int32_t token,
                                   const double *g, ReferenceMemory *m, double *x) {
    double both[REFERENCE_WIDEST], branch[REFERENCE_WIDEST];
    const double *table = reference_weight(r, -1, "token_embd");
    if (!table) table = reference_weight(model, -1, "token_embd");
    reference_norm(r, 0, "attn_norm", table + token * s->dim, s->dim, both);
    reference_norm(r, 0, "attn_norm_2", g, s->dim, both + s->dim);
    bool normed = reference_number(r, "norm_before_residual", 0) != 0;
    memcpy(x, normed ? both + s->dim : g, sizeof *x * (size_t)s->dim);
    reference_attention(r, s, position, both, m->k, m->v, branch);
    reference_add(r, s, NULL, branch, x);
    reference_norm(r, 0, "ffn_norm", x, s->dim, both);
    reference_feed_forward(r, s, both, branch);
    reference_add(r, s, NULL, branch, x);
}

/* logits (n - 1, rows of its head): what it says follows token 1, 2, ... of a text, of which the model knows the
 * first `known` tokens; behind them its own rows stand in. */
static inline void reference_guesses(const Reference *r, const Reference *model,
                                     const int32_t *tokens, int n, int known, double *logits) {
    ReferenceLayer s = reference_layer(r, 0);
    const Reference *head = reference_weight(r, -1, "output") ? r : model;
    const char *name = reference_weight(head, -1, "output") ? "output" : "token_embd";
    int rows = (int)reference_find(head, -1, name, "weight")->shape[0];
    double *g = malloc(sizeof *g * (size_t)(n * s.dim)), row[REFERENCE_WIDEST];
    ReferenceMemory m = {.k = malloc(sizeof *g * (size_t)(n * s.kv_heads * s.head_dim)),
                         .v = malloc(sizeof *g * (size_t)(n * s.kv_heads * s.value_dim))};
    reference_depths(r, model, tokens, known, g);
    for (int t = 0; t + 1 < n; t++, logits += rows) {
        double x[REFERENCE_WIDEST];
        reference_guess(r, model, &s, t, tokens[t + 1], g + t * s.dim, &m, x);
        reference_norm(r, -1, "output_norm", x, s.dim, row);
        reference_rows(head, -1, name, 0, rows, row, logits);
        if (t + 1 >= known) memcpy(g + (t + 1) * s.dim, x, sizeof *x * (size_t)s.dim);
    }
    free(m.k), free(m.v), free(g);
}

/* ------------------------------------------------------------------ an assistant */

/* The model's layer whose keys block l of the assistant reads: of the last one of its kind, which may share an earlier
 * one's. */
static inline int reference_lender(const Reference *r, const Reference *model, int l) {
    int from = reference_layers(model) - 1;
    while (reference_has_window(model, from) != reference_has_window(r, l)) from--;
    return from - reference_back(model, from);
}

/* x (dim) = what leaves the assistant's blocks for a token with a row h (width) of the model or its own; it stands
 * behind the `known` tokens whose keys and values are in memory. */
static inline void reference_assist(const Reference *r, const Reference *model, int32_t token,
                                    const double *h, int known, ReferenceMemory *memory,
                                    double *x) {
    double both[REFERENCE_WIDEST];
    int width = reference_size(model, "embedding_length", 0, 0),
        dim = reference_size(r, "embedding_length", 0, 0), until[64];
    for (int i = 0; i < 64; i++) until[i] = known - 1;
    reference_embed(model, token, known, width, both);
    memcpy(both + width, h, sizeof *h * (size_t)width);
    reference_rows(r, -1, "nextn.pre_projection", 0, dim, both, x);
    for (int l = 0; l < reference_size(r, "block_count", 0, 0); l++) {
        ReferenceLayer s = reference_layer(r, l);
        s.back = 1, s.until = until;
        reference_token(r, &s, known, &memory[reference_lender(r, model, l)], x);
        reference_end_block(r, &s, NULL, x);
    }
}

/* logits (n - known, vocab): what it says follows each token of a text behind the `known` ones that its model has
 * read. */
static inline void reference_assistant(const Reference *r, const Reference *model,
                                       const int32_t *tokens, int n, int known,
                                       double *logits) {
    int width = reference_size(model, "embedding_length", 0, 0),
        dim = reference_size(r, "embedding_length", 0, 0), layers = reference_layers(model),
        vocab = (int)reference_find(r, -1, "token_embd", "weight")->shape[0];
    ReferenceMemory *memory = malloc(sizeof *memory * (size_t)layers);
    double *stream = reference_stream_kept(model, layers, tokens, known, memory),
           h[REFERENCE_WIDEST], x[REFERENCE_WIDEST], row[REFERENCE_WIDEST];
    reference_norm(model, -1, "output_norm", stream + (known - 1) * width, width, h);
    for (int t = known; t < n; t++, logits += vocab) {
        reference_assist(r, model, tokens[t], h, known, memory, x);
        reference_norm(r, -1, "output_norm", x, dim, row);
        reference_rows(r, -1, "token_embd", 0, vocab, row, logits);
        reference_rows(r, -1, "nextn.post_projection", 0, width, row, h);
    }
    for (int l = 0; l < layers; l++) free(memory[l].k), free(memory[l].v);
    free(memory), free(stream);
}

#endif
