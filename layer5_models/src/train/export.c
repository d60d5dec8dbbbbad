/* export.c - the trained model as a GGUF file, and a run that begins with one.  See train.h. */
#include "trainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool trainer_begin_from(Trainer *t, const Gguf *gguf, Fault *fault) {
    for (size_t i = 0; i < t->n_parameters; i++) {
        const Parameter *p = &t->parameters[i];
        const GgufTensor *found = gguf_find_tensor(gguf, p->name);
        if (!found)
            return fault_set(fault, "the model to begin from has no tensor '%s'", p->name);
        size_t rows = found->ndim == 1 ? 1 : found->shape[0],
               cols = found->shape[found->ndim - 1];
        if (found->ndim > 2 || rows != p->rows || cols != p->cols ||
            !dtype_is_computable(found->dtype))
            return fault_set(
                fault, "the model to begin from has '%s' as %zu x %zu (%s), wanted %zu x %zu",
                p->name, rows, cols, dtype_name(found->dtype), p->rows, p->cols);
        size_t bytes = dtype_row_bytes((Dtype)found->dtype, cols);
        for (size_t r = 0; r < rows; r++)
            dequantize_row((Dtype)found->dtype, found->data + r * bytes,
                           t->values + p->offset + r * cols, cols);
    }
    t->origin_hash = train_hash(t->origin_hash, t->values, t->size * sizeof *t->values);
    return true;
}

enum { KEY = 80 };

static const char *family_key(char key[KEY], const char *arch, const char *name) {
    snprintf(key, KEY, "%s.%s", arch, name);
    return key;
}

static void put_metadata(GgufWriter *out, const TrainConfig *c, const char *name, Dtype dtype) {
    char key[KEY];
    const struct {
        const char *key;
        size_t value;
    } numbers[] = {
        {"context_length", c->ctx},
        {"embedding_length", c->shape.dim},
        {"block_count", c->layers},
        {"feed_forward_length", c->shape.hidden},
        {"attention.head_count", c->shape.heads},
        {"attention.head_count_kv", c->shape.kv_heads},
        {"attention.key_length", c->shape.head_dim},
        {"attention.value_length", c->shape.head_dim},
        {"rope.dimension_count", c->shape.head_dim},
        {"vocab_size", c->vocab},
    };
    bool both_ways = c->shape.both_ways;
    const char *arch = both_ways ? "llada" : "llama";
    gguf_put_string(out, "general.architecture", text_of(arch));
    gguf_put_string(out, "general.name", text_of(name));
    gguf_put_string(out, "general.license", text_of("mit"));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        gguf_put_int(out, family_key(key, arch, numbers[i].key), GGUF_U32,
                     (int64_t)numbers[i].value);
    gguf_put_int(out, "general.file_type", GGUF_U32, dtype == DTYPE_F16 ? 1 : 0);
    gguf_put_float(out, family_key(key, arch, "attention.layer_norm_rms_epsilon"), GGUF_F32,
                   (double)c->shape.eps);
    gguf_put_float(out, family_key(key, arch, "rope.freq_base"), GGUF_F32, c->rope_theta);
    if (!both_ways) return;
    gguf_put_int(out, family_key(key, arch, "attention.causal"), GGUF_BOOL, false);
    gguf_put_int(out, "diffusion.shift_logits", GGUF_BOOL, false);
}

static bool put_parameter(GgufWriter *out, const Trainer *t, const Parameter *p, Dtype dtype,
                          Fault *fault) {
    Dtype stored = p->rows == 1 ? DTYPE_F32 : dtype;
    size_t row = dtype_row_bytes(stored, p->cols);
    char *bytes = malloc(p->rows * row);
    if (!bytes) return fault_set(fault, "no memory to export '%s'", p->name);
    for (size_t i = 0; i < p->rows; i++)
        quantize_row(stored, t->values + p->offset + i * p->cols, NULL, bytes + i * row,
                     p->cols);
    const size_t shape[2] = {p->rows, p->cols};
    Tensor view = p->rows == 1 ? tensor_view(stored, 1, shape + 1, bytes)
                               : tensor_view(stored, 2, shape, bytes);
    gguf_put_tensor(out, p->name, &view);
    free(bytes);
    return true;
}

bool trainer_export(const Trainer *t, const char *name, Dtype dtype, const char *path,
                    Fault *fault) {
    GgufWriter *out = gguf_writer_open(fault);
    if (!out) return false;
    put_metadata(out, &t->config, name, dtype);
    for (size_t i = 0; i < t->vocab->n_pairs; i++) {
        Text key = t->vocab->pairs[i].key;
        if (key.size > 10 && memcmp(key.data, "tokenizer.", 10) == 0)
            gguf_put_pair(out, &t->vocab->pairs[i]);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < t->n_parameters; i++)
        ok = put_parameter(out, t, &t->parameters[i], dtype, fault);
    ok = ok && gguf_write_file(out, path, fault);
    gguf_writer_close(out);
    return ok;
}
