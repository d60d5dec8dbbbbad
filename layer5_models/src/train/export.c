/* export.c - the trained model as a GGUF file.  See train.h; begin.c reads one. */
#include "trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *train_family(const TrainConfig *c) {
    return c->family ? c->family->arch : c->shape.bidirectional ? "llada" : "llama";
}

/* A vector has 1 row. */
void train_file_shape(const Parameter *p, size_t shape[2]) {
    shape[0] = p->taps ? p->cols / p->taps : p->rows;
    shape[1] = p->taps ? p->taps : p->cols;
}

enum { KEY = 80 };

static const char *family_key(char key[KEY], const char *arch, const char *name) {
    snprintf(key, KEY, "%s.%s", arch, name);
    return key;
}

typedef struct SizeKey {
    const char *name;
    size_t value;
} SizeKey;

static void put_sizes(GgufWriter *out, const char *arch, const SizeKey *keys, size_t count) {
    char key[KEY];
    for (size_t i = 0; i < count; i++)
        gguf_put_int(out, family_key(key, arch, keys[i].name), GGUF_U32,
                     (int64_t)keys[i].value);
}

static void put_attention(GgufWriter *out, const TrainConfig *c, const char *arch) {
    const SizeKey keys[] = {{"attention.head_count", c->shape.heads},
                            {"attention.head_count_kv", c->shape.kv_heads},
                            {"attention.key_length", c->shape.head_dim},
                            {"attention.value_length", c->shape.head_dim},
                            {"rope.dimension_count", c->shape.head_dim}};
    char key[KEY];
    put_sizes(out, arch, keys, sizeof keys / sizeof *keys);
    gguf_put_float(out, family_key(key, arch, "rope.freq_base"), GGUF_F32, c->rope_theta);
    if (!c->shape.bidirectional) return;
    gguf_put_int(out, family_key(key, arch, "attention.causal"), GGUF_BOOL, false);
    gguf_put_int(out, "diffusion.shift_logits", GGUF_BOOL, false);
}

void train_put_metadata(GgufWriter *out, const TrainConfig *c, const char *name, Dtype dtype) {
    const char *arch = train_family(c);
    const SizeKey keys[] = {{"context_length", c->ctx},
                            {"embedding_length", c->shape.dim},
                            {"block_count", c->layers},
                            {"feed_forward_length", c->shape.hidden},
                            {"vocab_size", c->vocab}};
    char key[KEY];
    gguf_put_string(out, "general.architecture", text_of(arch));
    gguf_put_string(out, "general.name", text_of(name));
    gguf_put_string(out, "general.license", text_of("mit"));
    put_sizes(out, arch, keys, sizeof keys / sizeof *keys);
    gguf_put_int(out, "general.file_type", GGUF_U32, dtype == DTYPE_F16 ? 1 : 0);
    gguf_put_float(out, family_key(key, arch, "attention.layer_norm_rms_epsilon"), GGUF_F32,
                   (double)c->shape.eps);
    if (c->family)
        c->family->put_keys(out, c);
    else
        put_attention(out, c, arch);
}

static bool put_parameter(GgufWriter *out, const Trainer *t, const Parameter *p, Dtype dtype,
                          Fault *fault) {
    size_t shape[2];
    train_file_shape(p, shape);
    Dtype stored = p->rows == 1 ? DTYPE_F32 : dtype;
    size_t row = dtype_row_bytes(stored, shape[1]);
    char *bytes = malloc(shape[0] * row);
    if (!bytes) return fault_set(fault, "no memory to export '%s'", p->name);
    for (size_t i = 0; i < shape[0]; i++)
        quantize_row(stored, t->values + p->offset + i * shape[1], NULL, bytes + i * row,
                     shape[1]);
    for (size_t i = 0; p->rate && i < p->cols; i++)
        ((float *)(void *)bytes)[i] = (float)-real_exp((double)t->values[p->offset + i]);
    Tensor view = shape[0] == 1 ? tensor_view(stored, 1, shape + 1, bytes)
                                : tensor_view(stored, 2, shape, bytes);
    gguf_put_tensor(out, p->name, &view);
    free(bytes);
    return true;
}

bool trainer_export(const Trainer *t, const char *name, Dtype dtype, const char *path,
                    Fault *fault) {
    GgufWriter *out = gguf_writer_open(fault);
    if (!out) return false;
    train_put_metadata(out, &t->config, name, dtype);
    for (size_t i = 0; i < t->vocab->n_pairs; i++)
        if (text_begins(t->vocab->pairs[i].key, text_of("tokenizer.")))
            gguf_put_pair(out, &t->vocab->pairs[i]);
    bool ok = true;
    for (size_t i = 0; ok && i < t->n_parameters; i++)
        ok = put_parameter(out, t, &t->parameters[i], dtype, fault);
    ok = ok && gguf_write_file(out, path, fault);
    gguf_writer_close(out);
    return ok;
}
