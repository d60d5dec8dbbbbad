/* bind_block.c - the tensors of a block, by their roles.  See bind.h and roles.h. */
#include "bind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

Need need_of(const Model *m, RoleId id, size_t layer) {
    const LayerSizes *s = &m->layers[layer];
    return m->hooks ? m->hooks->need(m->recipe, id, s) : role_of(id)->need(m->recipe, s);
}

void bind_scale(Binder *b, Linear *map, const char *weight, size_t count, const char *from) {
    const int stem = (int)(strlen(weight) - strlen("weight"));
    for (int i = 0; map->w.data && i < 2; i++) {
        char name[96];
        snprintf(name, sizeof name, "%.*s%s", stem, weight, i ? "input_scale" : "scale");
        const GgufTensor *t = gguf_find_tensor(&b->model->gguf, name);
        if (!t || t->ndim != 1 || t->shape[0] != count) continue; /* Gemma 4 has others */
        const float *scale = bind_vector(b, name, true, count, from);
        if (i == 0) map->scale = scale; /* the other one is for inputs of four bits */
    }
}

static Linear bind_linear(Binder *b, const Role *role, const char *name, const LayerSizes *s,
                          size_t layer, size_t count, bool required) {
    char full[96];
    const bool stack = count > 0;
    const size_t shape[3] = {count, role->rows(s), role->cols(s)};
    Linear map = {.w = bind_tensor(b, block_name(b, full, sizeof full, layer, name, "weight"),
                                   required, stack ? 3 : 2, shape + !stack, role->from)};
    bind_scale(b, &map, full, stack ? count : 1, role->from);
    if (map.w.data) /* any matrix may have a bias: no key announces it */
        map.bias = bind_numbers(b, block_name(b, full, sizeof full, layer, name, "bias"), false,
                                1 + stack, shape + !stack, role->from);
    return map;
}

/* A few numbers: "attn_sinks.weight", "exp_probs_b.bias" or "ssm_a". */
static const float *bind_role_numbers(Binder *b, const Role *role, const char *name,
                                      const LayerSizes *s, size_t layer, bool required) {
    char full[96];
    const char *suffix = role->kind == ROLE_VECTOR   ? "weight"
                         : role->kind == ROLE_OFFSET ? "bias"
                                                     : NULL;
    const size_t shape[2] = {role->rows(s), role->cols(s)};
    bool row = role->rows == size_one;
    return bind_numbers(b, block_name(b, full, sizeof full, layer, name, suffix), required,
                        row ? 1 : 2, shape + row, role->from);
}

void bind_role(Binder *b, Block *block, RoleId id, size_t layer, Need need) {
    const Role *role = role_of(id);
    const FamilyHooks *hooks = b->model->hooks;
    const LayerSizes *s = &b->model->layers[layer];
    const char *other = hooks ? hooks->role_name(b, id, layer) : NULL,
               *name = other ? other : role->name;
    char full[96];
    void *place = role_in(role, block);
    bool required = need == NEED_YES || other; /* the other name counts if the file has it */
    switch (role->kind) {
    case ROLE_LINEAR:
        *(Linear *)place =
            bind_linear(b, role, name, s, layer, role->count ? role->count(s) : 0, required);
        return;
    case ROLE_NORM:
        block_name(b, full, sizeof full, layer, name, NULL);
        *(Norm *)place = bind_norm(b, full, required, role->rows(s), role->cols(s), role->from);
        return;
    case ROLE_VECTOR:
    case ROLE_OFFSET:
    case ROLE_PLAIN: break;
    }
    *(const float **)place = bind_role_numbers(b, role, name, s, layer, required);
}

/* --------------------------------------------------------- several matrices in one tensor */

static Linear slice_of_map(const Linear *map, size_t first, size_t n) {
    size_t cols = map->w.shape[1], bytes = dtype_row_bytes(map->w.dtype, cols);
    return (Linear){.w = tensor_view(map->w.dtype, 2, (size_t[]){n, cols},
                                     (char *)map->w.data + first * bytes),
                    .scale = map->scale,
                    .bias = map->bias ? map->bias + first : NULL};
}

bool bind_fused(Binder *b, Block *block, const char *name, const RoleId *ids, int count,
                size_t layer) {
    char full[96];
    const LayerSizes *s = &b->model->layers[layer];
    size_t shape[2] = {0, role_of(ids[0])->cols(s)}, first = 0;
    const char *from = role_of(ids[0])->from;
    for (int i = 0; i < count; i++) shape[0] += role_of(ids[i])->rows(s);
    Linear all = {.w = bind_tensor(b, block_name(b, full, sizeof full, layer, name, "weight"),
                                   false, 2, shape, from)};
    if (!all.w.data) return false;
    bind_scale(b, &all, full, 1, from);
    all.bias = bind_vector(b, block_name(b, full, sizeof full, layer, name, "bias"), false,
                           shape[0], from);
    for (int i = 0; i < count; i++) {
        size_t rows = role_of(ids[i])->rows(s);
        *(Linear *)role_in(role_of(ids[i]), block) = slice_of_map(&all, first, rows);
        first += rows;
    }
    return true;
}

static void bind_tensors(Binder *b, Block *block, size_t layer) {
    static const RoleId qkv[] = {ROLE_ATTN_Q, ROLE_ATTN_K, ROLE_ATTN_V},
                        up[] = {ROLE_FFN_GATE, ROLE_FFN_UP};
    const Model *m = b->model;
    const LayerSizes *s = &m->layers[layer];
    bool has_qkv = need_of(m, ROLE_ATTN_K, layer) == NEED_YES &&
                   bind_fused(b, block, "attn_qkv", qkv, 3, layer),
         has_up = s->gate_in_up && bind_fused(b, block, "ffn_up", up, 2, layer);
    for (RoleId id = 0; id < CORE_ROLES && b->ok; id++) {
        bool done = (has_qkv && id >= ROLE_ATTN_Q && id <= ROLE_ATTN_V) ||
                    (has_up && (id == ROLE_FFN_GATE || id == ROLE_FFN_UP));
        Need need = need_of(m, id, layer);
        if (!done && need != NEED_NO) bind_role(b, block, id, layer, need);
    }
}

/* ------------------------------------------------------------------ settings */

static const Wiring *wiring_of(Binder *b) {
    const Recipe *r = b->model->recipe;
    if (r->parallel_by_key && need_bool(b, "use_parallel_residual")) return &parallel_wiring;
    return r->wiring ? r->wiring : &sequential_wiring;
}

static void set_attention(Binder *b, Attention *a, const LayerSizes *s) {
    Model *m = b->model;
    const Recipe *r = m->recipe;
    bool by_dim = m->sizes.layers == r->scale_by_dim_layers;
    a->rope = s->rope ? &m->ropes[s->window && !r->window_everywhere] : NULL;
    a->shape =
        (AttentionShape){.heads = s->heads,
                         .kv_heads = s->kv_heads,
                         .head_dim = s->head_dim,
                         .value_dim = s->value_dim,
                         .scale = 1 / sqrtf((float)(by_dim ? s->dim / s->heads : s->head_dim)),
                         .softcap = read_softcap(b, "attn_logit_softcapping", r->attn_softcap),
                         .mask = {.causal = true, .window = s->window}};
}

void bind_block(Binder *b, Block *block, size_t layer) {
    const Recipe *r = b->model->recipe;
    const LayerSizes *s = &b->model->layers[layer];
    *block = (Block){.residual_scale = b->model->residual_scale};
    if (s->heads) set_attention(b, &block->attention, s);
    block->ffn.act = r->act, block->ffn.gated = r->gated;
    block->wiring = wiring_of(b);
    block->mixer[0] = &attention_part, block->network = &dense_part;
    bind_tensors(b, block, layer);
}
