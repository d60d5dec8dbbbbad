/* model.c - from a file to a model.  See model.h. */
#include "bind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "blk.3.attn_q.weight" */
static const char *block_name(char *out, size_t size, size_t layer, const char *what,
                              const char *kind) {
    snprintf(out, size, "blk.%zu.%s.%s", layer, what, kind);
    return out;
}

static Linear bind_linear(Binder *b, size_t layer, const char *what, bool needed, size_t out,
                          size_t in, const char *from) {
    char name[96];
    const size_t shape[2] = {out, in};
    Linear l = {.w = bind_tensor(b, block_name(name, sizeof name, layer, what, "weight"),
                                 needed, 2, shape, from)};
    if (l.w.data)
        l.bias = bind_vector(b, block_name(name, sizeof name, layer, what, "bias"), false, out,
                             from);
    return l;
}

static Norm bind_norm(Binder *b, size_t layer, const char *what, size_t size,
                      const char *from) {
    char name[96];
    Norm n = {.gain = bind_vector(b, block_name(name, sizeof name, layer, what, "weight"), true,
                                  size, from)};
    if (n.gain && b->model->recipe->norm == NORM_LAYER)
        n.bias = bind_vector(b, block_name(name, sizeof name, layer, what, "bias"), false, size,
                             from);
    return n;
}

static void bind_attention(Binder *b, Block *block, size_t l) {
    const ModelSizes *s = &b->model->sizes;
    size_t wide = s->heads * s->head_dim, narrow = s->kv_heads * s->head_dim;
    const char *from = "attention.head_count, head_count_kv, key_length and embedding_length";
    block->attn_norm = bind_norm(b, l, "attn_norm", s->dim, "embedding_length");
    block->qkv = bind_linear(b, l, "attn_qkv", false, wide + 2 * narrow, s->dim, from);
    if (!block->qkv.w.data) {
        block->q = bind_linear(b, l, "attn_q", true, wide, s->dim, from);
        block->k = bind_linear(b, l, "attn_k", true, narrow, s->dim, from);
        block->v = bind_linear(b, l, "attn_v", true, narrow, s->dim, from);
    }
    block->o = bind_linear(b, l, "attn_output", true, s->dim, wide, from);
    if (b->model->recipe->head_norms) {
        block->q_norm = bind_norm(b, l, "attn_q_norm", s->head_dim, "attention.key_length");
        block->k_norm = bind_norm(b, l, "attn_k_norm", s->head_dim, "attention.key_length");
    }
    if (b->model->recipe->post_norms)
        block->attn_post_norm =
            bind_norm(b, l, "post_attention_norm", s->dim, "embedding_length");
}

static void bind_experts(Binder *b, FeedForward *f, size_t l) {
    const ModelSizes *s = &b->model->sizes;
    char name[96];
    const size_t up[3] = {s->experts, s->expert_hidden, s->dim},
                 down[3] = {s->experts, s->dim, s->expert_hidden};
    const char *from = "expert_count, feed_forward_length and embedding_length";
    f->router = bind_linear(b, l, "ffn_gate_inp", true, s->experts, s->dim, from);
    f->gate_experts.w = bind_tensor(
        b, block_name(name, sizeof name, l, "ffn_gate_exps", "weight"), true, 3, up, from);
    f->up_experts.w = bind_tensor(b, block_name(name, sizeof name, l, "ffn_up_exps", "weight"),
                                  true, 3, up, from);
    f->down_experts.w = bind_tensor(
        b, block_name(name, sizeof name, l, "ffn_down_exps", "weight"), true, 3, down, from);
    f->experts_used = s->experts_used;
}

static void bind_feed_forward(Binder *b, Block *block, size_t l) {
    const ModelSizes *s = &b->model->sizes;
    FeedForward *f = &block->ffn;
    const char *from = "feed_forward_length and embedding_length";
    f->act = b->model->recipe->act;
    f->gated = b->model->recipe->gated;
    block->ffn_norm = bind_norm(b, l, "ffn_norm", s->dim, "embedding_length");
    if (b->model->recipe->post_norms)
        block->ffn_post_norm = bind_norm(b, l, "post_ffw_norm", s->dim, "embedding_length");
    if (s->experts) {
        bind_experts(b, f, l);
        return;
    }
    if (f->gated) f->gate = bind_linear(b, l, "ffn_gate", true, s->hidden, s->dim, from);
    f->up = bind_linear(b, l, "ffn_up", true, s->hidden, s->dim, from);
    f->down = bind_linear(b, l, "ffn_down", true, s->dim, s->hidden, from);
}

static void bind_block(Binder *b, Block *block, size_t l) {
    const Recipe *r = b->model->recipe;
    const ModelSizes *s = &b->model->sizes;
    size_t window = window_of(b, l),
           scale_dim = s->layers == r->scale_by_dim_layers ? s->dim / s->heads : s->head_dim;
    block->norm_kind = r->norm;
    block->eps = b->model->eps;
    block->parallel = r->parallel;
    block->rope = &b->model->ropes[window ? 1 : 0];
    block->attn =
        (AttentionShape){.heads = s->heads,
                         .kv_heads = s->kv_heads,
                         .head_dim = s->head_dim,
                         .scale = 1 / sqrtf((float)scale_dim),
                         .mask = {.causal = true, .window = window},
                         .softcap = read_softcap(b, "attn_logit_softcapping", r->attn_softcap)};
    if (r->temperature) {
        block->q_temperature =
            (float)key_number(b, "attention.temperature_scale", false, 0, 0, 10);
        block->temperature_ctx = (float)trained_ctx(b);
    }
    bind_attention(b, block, l);
    bind_feed_forward(b, block, l);
}

static void bind_ends(Binder *b) {
    Model *m = b->model;
    const size_t table[2] = {m->sizes.vocab, m->sizes.dim},
                 places[2] = {m->sizes.ctx, m->sizes.dim};
    const char *from = "tokenizer.ggml.tokens and embedding_length";
    m->embedding = bind_tensor(b, "token_embd.weight", true, 2, table, from);
    if (m->recipe->learned_positions)
        m->positions = bind_tensor(b, "position_embd.weight", true, 2, places,
                                   "context_length and embedding_length");
    m->out_norm.gain =
        bind_vector(b, "output_norm.weight", true, m->sizes.dim, "embedding_length");
    if (m->recipe->norm == NORM_LAYER)
        m->out_norm.bias =
            bind_vector(b, "output_norm.bias", false, m->sizes.dim, "embedding_length");
    m->head.w = bind_tensor(b, "output.weight", false, 2, table, from);
    if (!m->head.w.data) m->head.w = m->embedding; /* a tied head */
    m->head.bias = bind_vector(b, "output.bias", false, m->sizes.vocab, from);
}

/* Everything that takes memory; runs on a measuring arena and again on the real one. */
static bool bind_model(Binder *b) {
    Model *m = b->model;
    Block spare;
    m->blocks = arena_take(&m->arena, m->sizes.layers, sizeof *m->blocks);
    read_ropes(b);
    bind_ends(b);
    for (size_t l = 0; l < m->sizes.layers && b->ok; l++) {
        Block *block = m->blocks ? &m->blocks[l] : &spare;
        *block = (Block){0};
        bind_block(b, block, l);
    }
    return b->ok;
}

static bool find_recipe(Binder *b) {
    Text arch;
    const Recipe *list;
    if (!gguf_string(gguf_find(&b->model->gguf, "general.architecture"), &arch))
        return fault_set(
            b->fault,
            "the file does not say what model it is: key 'general.architecture' is missing");
    if ((b->model->recipe = recipe_find(arch))) return true;
    char known[200] = "";
    size_t count = recipe_list(&list);
    for (size_t i = 0; i < count; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 list[i].arch);
    return fault_set(b->fault, "models of the family '%.*s' are not built in: %s are",
                     (int)(arch.size < 60 ? arch.size : 60), arch.data, known);
}

static bool bind_file(Binder *b) {
    Model *m = b->model;
    if (!check_container(b) || !find_recipe(b)) return false;
    m->tokenizer = tokenizer_open(&m->gguf, b->fault);
    if (!m->tokenizer || !read_sizes(b)) return false;
    arena_measure(&m->arena);
    if (!bind_model(b) || !refuse_left_over(b)) return false;
    size_t needed = m->arena.used;
    return arena_init(&m->arena, needed, b->fault) && bind_model(b);
}

static bool open_parsed(Model *m, Fault *fault) {
    bool *marks = calloc(m->gguf.n_pairs + m->gguf.n_tensors + 1, sizeof *marks);
    if (!marks) return fault_set(fault, "no memory for %zu tensors", m->gguf.n_tensors);
    Binder b = {m, fault, true, marks, marks + m->gguf.n_pairs};
    bool ok = bind_file(&b);
    free(marks);
    return ok;
}

bool model_open_memory(Model *model, const void *bytes, size_t size, Fault *fault) {
    *model = (Model){0};
    bool ok = gguf_parse(&model->gguf, bytes, size, fault) && open_parsed(model, fault);
    if (!ok) model_close(model);
    return ok;
}

bool model_open(Model *model, const char *path, Fault *fault) {
    FileMap file;
    *model = (Model){0};
    if (!file_open(&file, path, fault)) return false;
    if (model_open_memory(model, file.data, file.size, fault)) {
        model->file = file;
        return true;
    }
    file_close(&file);
    return fault_prefix(fault, path);
}

void model_close(Model *model) {
    free(model->packed), free(model->packed_data);
    tokenizer_close(model->tokenizer);
    arena_free(&model->arena);
    gguf_free(&model->gguf);
    file_close(&model->file);
    *model = (Model){0};
}
