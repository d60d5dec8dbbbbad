/* lora_gguf.c - an adapter's matrices from a GGUF file.  See parts.h. */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool key_is(const Gguf *gguf, const char *key, const char *wanted, Fault *fault) {
    Text text = {"missing", 7};
    if (gguf_string(gguf_find(gguf, key), &text) && text_equal(text, text_of(wanted)))
        return true;
    return fault_set(fault, "%s is %.*s, wanted %s", key, (int)min_size(60, text.size),
                     text.data, wanted);
}

static bool read_keys(Lora *lora, const Model *model, const Gguf *gguf, Fault *fault) {
    if (!key_is(gguf, "general.type", "adapter", fault) ||
        !key_is(gguf, "general.architecture", model->recipe->arch, fault) ||
        !key_is(gguf, "adapter.type", "lora", fault))
        return false;
    for (size_t i = 0; i < gguf->n_pairs; i++) {
        Text key = gguf->pairs[i].key;
        bool known = text_equal(key, text_of("adapter.type")) ||
                     text_equal(key, text_of("adapter.lora.alpha"));
        if (!known && key.size > 8 && memcmp(key.data, "adapter.", 8) == 0)
            return fault_set(fault,
                             "the key '%.*s' is not known: it may change what the adapter does",
                             (int)min_size(80, key.size), key.data);
    }
    return gguf_float(gguf_find(gguf, "adapter.lora.alpha"), 0, &lora->alpha) ||
           fault_set(fault, "the key 'adapter.lora.alpha' is missing");
}

/* "blk.0.attn_q.weight.lora_a" -> "blk.0.attn_q", and which of the two. */
static bool lora_gguf_split_name(Text name, char *stem, size_t size, bool *is_b) {
    static const char *const ends[] = {".weight.lora_a", ".weight.lora_b"};
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(ends[i]);
        if (!text_ends(name, text_of(ends[i])) || name.size - n >= size) continue;
        snprintf(stem, size, "%.*s", (int)(name.size - n), name.data);
        return *is_b = i == 1, true;
    }
    return false;
}

static bool lora_gguf_read_matrix(Lora *lora, const GgufTensor *t, Fault *fault) {
    char stem[96];
    bool is_b;
    if (!lora_gguf_split_name(t->name, stem, sizeof stem, &is_b) || t->ndim > 2 ||
        !dtype_is_computable(t->dtype))
        return fault_set(fault,
                         "the tensor '%.*s' is none that an adapter can have: wanted "
                         "NAME.weight.lora_a and NAME.weight.lora_b of two dimensions",
                         (int)min_size(80, t->name.size), t->name.data);
    Pair *pair = lora_pair(lora, stem, fault);
    size_t rows = t->ndim == 2 ? t->shape[0] : 1, cols = t->shape[t->ndim - 1];
    float *numbers = pair ? malloc(rows * cols * sizeof *numbers) : NULL;
    if (!numbers) return fault_set(fault, "no memory for '%s'", stem);
    for (size_t r = 0; r < rows; r++)
        dequantize_row((Dtype)t->dtype, t->data + r * dtype_row_bytes((Dtype)t->dtype, cols),
                       numbers + r * cols, cols);
    if (is_b ? pair->b : pair->a)
        return free(numbers), fault_set(fault, "'%s' stands twice", stem);
    if (is_b)
        pair->b = numbers, pair->out = rows, pair->rank_b = cols;
    else
        pair->a = numbers, pair->rank_a = rows, pair->in = cols;
    return true;
}

bool lora_read_gguf(Lora *lora, const Model *model, const char *path, Fault *fault) {
    GgufFile file;
    Gguf gguf;
    if (!gguf_open(&file, &gguf, path, fault)) return false;
    bool ok = read_keys(lora, model, &gguf, fault);
    for (size_t i = 0; ok && i < gguf.n_tensors; i++)
        ok = lora_gguf_read_matrix(lora, &gguf.tensors[i], fault);
    gguf_close(&file, &gguf);
    return ok || fault_prefix(fault, path);
}
