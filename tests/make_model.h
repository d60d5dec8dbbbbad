/* make_model.h - a small model of any family with random weights, as a GGUF file in memory. */
#ifndef STRATA_MAKE_MODEL_H
#define STRATA_MAKE_MODEL_H

#include "models.h"

typedef struct MakeModel {
    const char *arch;
    uint64_t seed;
    Dtype dtype;
    bool biases, tied, q_norms, fused_qkv, post_norms, rope_freqs, yarn;
    size_t layers, dim, hidden, heads, kv_heads, head_dim, ctx, window, experts;
} MakeModel;

static inline MakeModel make_model_defaults(const char *arch) {
    MakeModel m = {.arch = arch,
                   .seed = 1,
                   .dtype = DTYPE_F32,
                   .layers = 2,
                   .dim = 64,
                   .hidden = 96,
                   .heads = 4,
                   .kv_heads = 2,
                   .head_dim = 16,
                   .ctx = 256};
    m.tied = strncmp(arch, "gemma", 5) == 0;
    m.q_norms = strcmp(arch, "qwen3") == 0 || strcmp(arch, "gemma3") == 0;
    m.post_norms = strcmp(arch, "gemma2") == 0 || strcmp(arch, "gemma3") == 0;
    if (m.post_norms) m.window = 6;
    if (strcmp(arch, "gpt2") == 0) m.fused_qkv = m.biases = true, m.kv_heads = m.heads;
    if (strcmp(arch, "qwen2") == 0) m.biases = true;
    return m;
}

static inline void make_tensor(GgufWriter *w, const MakeModel *m, const char *name, int ndim,
                               const size_t *shape, double mean, double deviation,
                               Dtype dtype) {
    size_t count = 1, row = shape[ndim - 1];
    for (int i = 0; i < ndim; i++) count *= shape[i];
    float *values = malloc(count * sizeof *values);
    void *stored = malloc(count * sizeof *values);
    Rng rng = {m->seed, 0, 0};
    for (const char *c = name; *c; c++) rng.stream = rng.stream * 131 + (unsigned char)*c;
    for (size_t i = 0; i < count; i++) values[i] = (float)(mean + deviation * rng_normal(&rng));
    if (row % dtype_info(dtype)->block) dtype = DTYPE_F16;
    quantize_row(dtype, values, NULL, stored, count);
    Tensor t = tensor_view(dtype, ndim, shape, stored);
    gguf_put_tensor(w, name, &t);
    free(values), free(stored);
}

static inline void make_matrix(GgufWriter *w, const MakeModel *m, const char *name, size_t out,
                               size_t in, double gain) {
    make_tensor(w, m, name, 2, (size_t[]){out, in}, 0, gain / sqrt((double)in), m->dtype);
}

static inline void make_vector(GgufWriter *w, const MakeModel *m, const char *name, size_t n,
                               double mean) {
    make_tensor(w, m, name, 1, &n, mean, 0.15, DTYPE_F32);
}

static inline void make_linear(GgufWriter *w, const MakeModel *m, size_t layer,
                               const char *what, size_t out, size_t in, double gain) {
    char name[96];
    snprintf(name, sizeof name, "blk.%zu.%s.weight", layer, what);
    make_matrix(w, m, name, out, in, gain);
    snprintf(name, sizeof name, "blk.%zu.%s.bias", layer, what);
    if (m->biases) make_vector(w, m, name, out, 0);
}

static inline void make_norm(GgufWriter *w, const MakeModel *m, size_t layer, const char *what,
                             size_t n) {
    char name[96];
    snprintf(name, sizeof name, "blk.%zu.%s.weight", layer, what);
    make_vector(w, m, name, n, 1);
    snprintf(name, sizeof name, "blk.%zu.%s.bias", layer, what);
    if (strcmp(m->arch, "gpt2") == 0) make_vector(w, m, name, n, 0);
}

static inline void make_block(GgufWriter *w, const MakeModel *m, size_t l) {
    size_t wide = m->heads * m->head_dim, narrow = m->kv_heads * m->head_dim;
    char name[96];
    make_norm(w, m, l, "attn_norm", m->dim);
    if (m->fused_qkv) {
        make_linear(w, m, l, "attn_qkv", wide + 2 * narrow, m->dim, 1.5);
    } else {
        make_linear(w, m, l, "attn_q", wide, m->dim, 1.5);
        make_linear(w, m, l, "attn_k", narrow, m->dim, 1.5);
        make_linear(w, m, l, "attn_v", narrow, m->dim, 1);
    }
    make_linear(w, m, l, "attn_output", m->dim, wide, 1);
    if (m->q_norms)
        make_norm(w, m, l, "attn_q_norm", m->head_dim),
            make_norm(w, m, l, "attn_k_norm", m->head_dim);
    if (m->post_norms)
        make_norm(w, m, l, "post_attention_norm", m->dim),
            make_norm(w, m, l, "post_ffw_norm", m->dim);
    make_norm(w, m, l, "ffn_norm", m->dim);
    if (m->experts) {
        const size_t up[3] = {m->experts, m->hidden, m->dim},
                     down[3] = {m->experts, m->dim, m->hidden};
        snprintf(name, sizeof name, "blk.%zu.ffn_gate_inp.weight", l);
        make_matrix(w, m, name, m->experts, m->dim, 2);
        snprintf(name, sizeof name, "blk.%zu.ffn_gate_exps.weight", l);
        make_tensor(w, m, name, 3, up, 0, 0.2, m->dtype);
        snprintf(name, sizeof name, "blk.%zu.ffn_up_exps.weight", l);
        make_tensor(w, m, name, 3, up, 0, 0.2, m->dtype);
        snprintf(name, sizeof name, "blk.%zu.ffn_down_exps.weight", l);
        make_tensor(w, m, name, 3, down, 0, 0.2, m->dtype);
        return;
    }
    if (strcmp(m->arch, "gpt2") != 0) make_linear(w, m, l, "ffn_gate", m->hidden, m->dim, 1.5);
    make_linear(w, m, l, "ffn_up", m->hidden, m->dim, 1.5);
    make_linear(w, m, l, "ffn_down", m->dim, m->hidden, 1.5);
}

static inline void make_key(GgufWriter *w, const MakeModel *m, const char *key, int64_t value) {
    char name[96];
    snprintf(name, sizeof name, "%s.%s", m->arch, key);
    gguf_put_int(w, name, GGUF_U32, value);
}

static inline void make_number(GgufWriter *w, const MakeModel *m, const char *key,
                               double value) {
    char name[96];
    snprintf(name, sizeof name, "%s.%s", m->arch, key);
    gguf_put_float(w, name, GGUF_F32, value);
}

/* 256 bytes and two special tokens: enough to speak, and to test with. */
enum { MAKE_VOCAB = 258 };

static inline void make_tokenizer(GgufWriter *w) {
    static char names[256][4];
    Text tokens[MAKE_VOCAB];
    int64_t types[MAKE_VOCAB];
    for (int b = 0; b < 256; b++) {
        bool visible = (b >= 33 && b <= 126) || (b >= 161 && b != 173);
        int code = visible ? b : b < 33 ? 256 + b : b < 161 ? 256 + 33 + b - 127 : 256 + 67;
        size_t n = 0;
        if (code >= 128)
            names[b][n++] = (char)(0xC0 | code >> 6),
            names[b][n++] = (char)(0x80 | (code & 63));
        else
            names[b][n++] = (char)code;
        tokens[b] = (Text){names[b], n};
        types[b] = 1;
    }
    tokens[256] = text_of("<|im_start|>"), tokens[257] = text_of("<|im_end|>");
    types[256] = types[257] = 3;
    gguf_put_string(w, "tokenizer.ggml.model", text_of("gpt2"));
    gguf_put_string(w, "tokenizer.ggml.pre", text_of("gpt-2"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", tokens, MAKE_VOCAB);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, MAKE_VOCAB);
    gguf_put_strings(w, "tokenizer.ggml.merges", NULL, 0);
    gguf_put_int(w, "tokenizer.ggml.bos_token_id", GGUF_U32, 257);
    gguf_put_int(w, "tokenizer.ggml.eos_token_id", GGUF_U32, 257);
}

static inline void make_keys(GgufWriter *w, const MakeModel *m) {
    bool gpt2 = strcmp(m->arch, "gpt2") == 0;
    gguf_put_string(w, "general.architecture", text_of(m->arch));
    gguf_put_int(w, "general.alignment", GGUF_U32, 32);
    make_key(w, m, "context_length", (int64_t)m->ctx),
        make_key(w, m, "embedding_length", (int64_t)m->dim);
    make_key(w, m, "block_count", (int64_t)m->layers),
        make_key(w, m, "feed_forward_length", (int64_t)m->hidden);
    make_key(w, m, "attention.head_count", (int64_t)m->heads),
        make_key(w, m, "attention.head_count_kv", (int64_t)m->kv_heads);
    make_key(w, m, "attention.key_length", (int64_t)m->head_dim);
    make_number(
        w, m, gpt2 ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", 1e-5);
    if (m->window) make_key(w, m, "attention.sliding_window", (int64_t)m->window);
    if (m->experts)
        make_key(w, m, "expert_count", (int64_t)m->experts),
            make_key(w, m, "expert_used_count", 2);
    if (m->yarn) {
        char key[96];
        snprintf(key, sizeof key, "%s.rope.scaling.type", m->arch);
        gguf_put_string(w, key, text_of("yarn"));
        make_number(w, m, "rope.scaling.factor", 4);
        make_key(w, m, "rope.scaling.original_context_length", 64);
    }
}

/* The file; the caller frees *bytes. */
static inline unsigned char *make_model(const MakeModel *m, size_t *size) {
    Fault fault;
    unsigned char *bytes;
    GgufWriter *w = gguf_writer_open(&fault);
    make_keys(w, m);
    make_tokenizer(w);
    make_matrix(w, m, "token_embd.weight", MAKE_VOCAB, m->dim, 4);
    if (strcmp(m->arch, "gpt2") == 0)
        make_tensor(w, m, "position_embd.weight", 2, (size_t[]){m->ctx, m->dim}, 0, 0.3,
                    DTYPE_F32);
    if (m->rope_freqs)
        make_tensor(w, m, "rope_freqs.weight", 1, (size_t[]){m->head_dim / 2}, 3, 0.5,
                    DTYPE_F32);
    for (size_t l = 0; l < m->layers; l++) make_block(w, m, l);
    make_vector(w, m, "output_norm.weight", m->dim, 1);
    if (strcmp(m->arch, "gpt2") == 0) make_vector(w, m, "output_norm.bias", m->dim, 0);
    if (!m->tied) make_matrix(w, m, "output.weight", MAKE_VOCAB, m->dim, 2);
    bool ok = gguf_write_memory(w, &bytes, size, &fault);
    gguf_writer_close(w);
    return ok ? bytes : NULL;
}

#endif
