/* bind.c - the weights outside a family's blocks.  See parts.h. */
#include "families/parts.h"

#include <math.h>
#include <stdio.h>

static const char vocabulary[] = "tokenizer.ggml.tokens and embedding_length";

Linear bind_map(Binder *b, const char *name, bool required, size_t rows, size_t cols,
                const char *from) {
    char full[64];
    snprintf(full, sizeof full, "%s.weight", name);
    Linear map = {.w = bind_tensor(b, full, required, 2, (size_t[]){rows, cols}, from)};
    snprintf(full, sizeof full, "%s.bias", name);
    if (map.w.data) map.bias = bind_vector(b, full, false, rows, from);
    return map;
}

/* A draft head in its own file borrows what it lacks. */
static void bind_draft_ends(Binder *b) {
    Model *m = b->model;
    const size_t count = m->extras->draft_head.count;
    bind_tables(b, false);
    bind_out_norm(b, "output_norm");
    bind_text_head(b);
    const Tensor embedding = m->embedding;
    m->embedding.data = NULL;
    bind_head(b, count, "d2t and embedding_length");
    m->embedding = embedding;
}

static void bind_text_ends(Binder *b) {
    Model *m = b->model;
    ModelExtras *x = m->extras;
    const Quirks *q = x->quirks;
    const size_t dim = m->sizes.dim;
    bind_tables(b, !q->head_embeds);
    if (!m->embedding.data && q->head_embeds) /* one tensor for both, under the head's name */
        m->embedding = bind_tensor(b, "output.weight", true, 2, (size_t[]){m->sizes.vocab, dim},
                                   vocabulary);
    if (q->embedding_norm)
        x->embedding_norm = bind_norm(b, "token_embd_norm", true, 1, dim, "embedding_length");
    if (q->token_types) bind_types(b);
    if (q->no_gains)
        m->out_norm = (Norm){.kind = m->recipe->norm, .width = dim, .eps = m->eps};
    else if (!q->no_out_norm)
        bind_out_norm(b, q->out_norm ? q->out_norm : "output_norm");
    if (x->encoder)
        x->source_norm = bind_norm(b, "enc.output_norm", true, 1, dim, "embedding_length");
    bind_text_head(b);
    if (q->vectors) return;
    bind_head(b, m->sizes.vocab, vocabulary);
    if (q->scale_tied && m->head.w.data == m->embedding.data)
        x->logit_scale = 1 / sqrtf((float)dim);
}

/* Weights of side inputs, before the first block and after the last. */
static void bind_side_inputs(Binder *b) {
    Model *m = b->model;
    ModelExtras *x = m->extras;
    const LayerExtras *e = m->layers->extras;
    const size_t dim = m->sizes.dim, all = m->sizes.layers * e->input,
                 table[2] = {m->sizes.vocab, all}, map[2] = {all, dim},
                 stack[3] = {e->streams ? e->streams - 1 : 0, dim, dim};
    const char *from = "embedding_length_per_layer_input and block_count",
               *parts = "altup.num_inputs and embedding_length";
    if (e->input) {
        LayerTable *t = &x->layer_table;
        t->layers = m->sizes.layers, t->width = e->input;
        t->table = bind_tensor(b, "per_layer_token_embd.weight", true, 2, table, from);
        t->map.w = bind_tensor(b, "per_layer_model_proj.weight", true, 2, map, from);
        t->norm = bind_norm(b, "per_layer_proj_norm", true, 1, e->input, from);
    }
    if (!e->streams) return;
    x->altup.spread.w = bind_tensor(b, "altup_proj.weight", true, 3, stack, parts);
    x->altup.gather.w = bind_tensor(b, "altup_unembd_proj.weight", true, 3, stack, parts);
}

void bind_more_ends(Binder *b) {
    const Quirks *q = quirks_in(b);
    if (q->is_draft_head) bind_draft_head(b);
    if (q->assists) bind_assistant(b);
    (q->is_vision_tower ? bind_vision : q->is_draft_head ? bind_draft_ends : bind_text_ends)(b);
    bind_side_inputs(b);
}

/* The first draft head is used. */
Linear *packed_more(const Model *m, size_t i) {
    static Linear none;
    ModelExtras *x = m->extras;
    const size_t roles = x->drafts ? (size_t)role_count() : 0;
    Linear *const ends[] = {&x->draft.head, &m->blocks->extras->join.depths, &x->draft_head.in,
                            &x->draft_head.out, NULL};
    if (i >= roles) return ends[i - roles];
    const Role *role = role_of((RoleId)i);
    Linear *map = role_in(role, &m->blocks[m->sizes.layers]);
    return map && role->kind == ROLE_LINEAR ? map : &none;
}
