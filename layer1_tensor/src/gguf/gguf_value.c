/* gguf_value.c - keys, values and tensors of a parsed file.  See gguf.h. */
#include "gguf_bytes.h"

#include <stdlib.h>
#include <string.h>

const unsigned char gguf_type_size[GGUF_TYPES] = {
    [GGUF_U8] = 1,  [GGUF_I8] = 1,  [GGUF_U16] = 2, [GGUF_I16] = 2,
    [GGUF_U32] = 4, [GGUF_I32] = 4, [GGUF_F32] = 4, [GGUF_BOOL] = 1,
    [GGUF_U64] = 8, [GGUF_I64] = 8, [GGUF_F64] = 8,
};

static const char *const type_names[GGUF_TYPES] = {"u8",  "i8",  "u16",  "i16",    "u32",
                                                   "i32", "f32", "bool", "string", "array",
                                                   "u64", "i64", "f64"};

const char *gguf_type_name(GgufType type) {
    return (unsigned)type < GGUF_TYPES ? type_names[type] : "?";
}

void gguf_free(Gguf *gguf) {
    free(gguf->pairs);
    free(gguf->tensors);
    *gguf = (Gguf){0};
}

const GgufPair *gguf_find(const Gguf *gguf, const char *key) {
    Text wanted = text_of(key);
    for (size_t i = 0; i < gguf->n_pairs; i++)
        if (text_equal(gguf->pairs[i].key, wanted)) return &gguf->pairs[i];
    return NULL;
}

const GgufTensor *gguf_find_tensor(const Gguf *gguf, const char *name) {
    Text wanted = text_of(name);
    for (size_t i = 0; i < gguf->n_tensors; i++)
        if (text_equal(gguf->tensors[i].name, wanted)) return &gguf->tensors[i];
    return NULL;
}

Tensor gguf_tensor_view(const GgufTensor *tensor) {
    return tensor_view((Dtype)tensor->dtype, tensor->ndim, tensor->shape, (void *)tensor->data);
}

bool gguf_int(const GgufPair *pair, uint64_t i, int64_t *value) {
    if (!pair || i >= pair->count) return false;
    GgufType type = pair->item;
    if (type == GGUF_F32 || type == GGUF_F64 || type == GGUF_STRING) return false;
    int size = gguf_type_size[type];
    uint64_t bits = gguf_load(pair->data + i * (uint64_t)size, size);
    bool is_signed = type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32;
    if (is_signed && bits >> (8 * size - 1)) bits |= ~(uint64_t)0 << (8 * size);
    *value = (int64_t)bits;
    return type != GGUF_U64 || bits <= INT64_MAX;
}

bool gguf_float(const GgufPair *pair, uint64_t i, double *value) {
    if (!pair || i >= pair->count || pair->item == GGUF_STRING) return false;
    if (pair->item == GGUF_F64) {
        memcpy(value, pair->data + i * 8, sizeof *value);
    } else if (pair->item == GGUF_F32) {
        float single;
        memcpy(&single, pair->data + i * 4, sizeof single);
        *value = (double)single;
    } else {
        int64_t whole;
        if (!gguf_int(pair, i, &whole)) return false;
        *value = (double)whole;
    }
    return true;
}

bool gguf_string(const GgufPair *pair, Text *value) {
    if (!pair || pair->type != GGUF_STRING) return false;
    const unsigned char *cursor = pair->data;
    *value = gguf_next_string(&cursor);
    return true;
}

Text gguf_next_string(const unsigned char **cursor) {
    Text text = {(const char *)*cursor + 8, (size_t)gguf_load(*cursor, 8)};
    *cursor += 8 + text.size;
    return text;
}

size_t gguf_value_bytes(const GgufPair *pair) {
    if (pair->item != GGUF_STRING) return (size_t)(pair->count * gguf_type_size[pair->item]);
    const unsigned char *cursor = pair->data;
    for (uint64_t i = 0; i < pair->count; i++) gguf_next_string(&cursor);
    return (size_t)(cursor - pair->data);
}
