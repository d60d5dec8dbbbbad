/* change.h - a model file with one thing in it changed, and whole otherwise: change number n is always the same.
 *
 * A key is left out, has another value, type or length, or is one of another model's; a tensor
 * is left out, has another name, shape, format or numbers, or is one of another model's. */
#ifndef STRATA_CHANGE_H
#define STRATA_CHANGE_H

#include "damage.h"

typedef enum Change {
    KEY_OUT,
    KEY_VALUE,
    KEY_TYPE,
    KEY_LENGTH,
    KEY_OTHER,
    TENSOR_OUT,
    TENSOR_NAME,
    TENSOR_SHAPE,
    TENSOR_FORMAT,
    TENSOR_NUMBERS,
    TENSOR_OTHER,
    CHANGES
} Change;

static const char *const change_names[CHANGES] = {
    "key left out",    "key's value",      "key's type",      "key's length",
    "another's key",   "tensor left out",  "tensor's name",   "tensor's shape",
    "tensor's format", "tensor's numbers", "another's tensor"};

typedef struct Changer {
    uint64_t number;
    Change change;
    const Gguf *model, *other;
    GgufWriter *writer;
} Changer;

static inline uint64_t change_random(const Changer *c, uint64_t k) {
    return rng_hash(c->number, k, 9);
}

/* The pair with another value of its type, in `bytes`. */
static inline GgufPair other_pair(const Changer *c, GgufPair pair, unsigned char *bytes) {
    size_t size = gguf_value_bytes(&pair), item = size / (pair.count + !pair.count), at = 0;
    if (pair.item == GGUF_STRING || item == 0 ||
        item > 8) { /* the letters of texts, not their sizes */
        memcpy(bytes, pair.data, size);
        if (size > 8) bytes[8] ^= 1;
    } else {
        memcpy(bytes, pair.data, size);
        at = change_random(c, 2) % pair.count * item;
        uint64_t value =
            other_value(field_value(bytes, (Field){at, item}), change_random(c, 3));
        for (size_t i = 0; i < item; i++) bytes[at + i] = (unsigned char)(value >> 8 * i);
        if (pair.item == GGUF_BOOL) bytes[at] &= 1;
    }
    pair.data = bytes;
    return pair;
}

/* The same number as another type, or as a text. */
static inline void put_other_type(const Changer *c, const GgufPair *pair, const char *key) {
    static const GgufType types[] = {GGUF_U8,  GGUF_I32, GGUF_U64,
                                     GGUF_F32, GGUF_F64, GGUF_BOOL};
    GgufType type = types[change_random(c, 2) % 6];
    double value = 1;
    if (!gguf_float(pair, 0, &value) || change_random(c, 3) % 5 == 0)
        gguf_put_string(c->writer, key, text_of("1"));
    else if (type == GGUF_F32 || type == GGUF_F64)
        gguf_put_float(c->writer, key, type, value);
    else
        gguf_put_int(c->writer, key, type,
                     type == GGUF_BOOL ? value != 0 : (int64_t)fmin(fmax(value, -1e9), 1e9));
}

/* An array gets shorter, a number an array. */
static inline GgufPair other_length(const Changer *c, GgufPair pair) {
    if (pair.type == GGUF_STRING) pair.type = GGUF_ARRAY, pair.item = GGUF_STRING;
    if (pair.type == GGUF_ARRAY)
        pair.count = pair.count ? change_random(c, 2) % pair.count : 0;
    else
        pair.type = GGUF_ARRAY;
    return pair;
}

static inline void put_changed_pair(const Changer *c, const GgufPair *pair) {
    char key[200];
    unsigned char *bytes = malloc(gguf_value_bytes(pair) + 8);
    GgufPair changed = *pair;
    snprintf(key, sizeof key, "%.*s", (int)pair->key.size, pair->key.data);
    if (c->change == KEY_VALUE)
        changed = other_pair(c, *pair, bytes), gguf_put_pair(c->writer, &changed);
    if (c->change == KEY_TYPE) put_other_type(c, pair, key);
    if (c->change == KEY_LENGTH)
        changed = other_length(c, *pair), gguf_put_pair(c->writer, &changed);
    free(bytes);
}

/* A key of the other model, as one of this family. */
static inline void put_other_key(const Changer *c) {
    const GgufPair *arch = gguf_find(c->model, "general.architecture");
    GgufPair pair = c->other->pairs[change_random(c, 1) % c->other->n_pairs];
    Text family = {0};
    char key[200];
    const char *dot = memchr(pair.key.data, '.', pair.key.size);
    if (!dot || !arch || !gguf_string(arch, &family)) return;
    size_t rest = pair.key.size - (size_t)(dot - pair.key.data);
    bool common = strncmp(pair.key.data, "general.", 8) == 0 ||
                  strncmp(pair.key.data, "tokenizer.", 10) == 0;
    snprintf(key, sizeof key, "%.*s%.*s", (int)family.size, family.data, (int)rest, dot);
    if (!common) pair.key = text_of(key);
    gguf_put_pair(c->writer, &pair);
}

/* The same numbers, as far as they reach, in other shapes. */
static inline void other_shape(const Changer *c, Tensor *t, float *room) {
    size_t shape[TENSOR_MAX_DIMS] = {t->shape[0], t->shape[1], t->shape[2], t->shape[3]};
    const size_t which = change_random(c, 2) % (size_t)t->ndim;
    int ndim = t->ndim;
    switch (change_random(c, 3) % 5) {
    case 0: shape[which]++; break;
    case 1: shape[which] -= shape[which] > 1; break;
    case 2: shape[which] *= 2; break;
    case 3: shape[0] = t->shape[ndim - 1], shape[ndim - 1] = t->shape[0]; break;
    default:
        if (ndim < TENSOR_MAX_DIMS) shape[ndim++] = 1;
    }
    *t = tensor_view(DTYPE_F32, ndim, shape, room);
}

static inline void other_numbers(const Changer *c, float *x, size_t n) {
    const float values[] = {0, NAN, INFINITY, -INFINITY, 3.4e38f, -3.4e38f, 1e-45f, 1};
    const float value = values[change_random(c, 2) % 8];
    const bool all = change_random(c, 3) % 2;
    for (size_t i = 0; i < n; i++)
        if (all || i == change_random(c, 4) % n) x[i] = value;
}

static inline void other_format(const Changer *c, Tensor *t, const float *x, void *room) {
    const Dtype formats[] = {DTYPE_F16, DTYPE_BF16, DTYPE_Q8_0, DTYPE_F32};
    Dtype dtype = formats[change_random(c, 2) % 4];
    size_t n = t->shape[t->ndim - 1], rows = tensor_count(t) / n;
    if (n % dtype_info(dtype)->block) dtype = DTYPE_F16;
    for (size_t r = 0; r < rows; r++)
        quantize_row(dtype, x + r * n, NULL, (char *)room + r * dtype_row_bytes(dtype, n), n);
    *t = tensor_view(dtype, t->ndim, t->shape, room);
}

static inline void put_changed_tensor(const Changer *c, const GgufTensor *from,
                                      const char *name) {
    Tensor t = gguf_tensor_view(from);
    size_t n = tensor_count(&t), row = t.shape[t.ndim - 1];
    float *x = calloc(2 * n + 4096, sizeof *x), *room = calloc(2 * n + 4096, sizeof *x);
    if (c->change == TENSOR_NAME) {
        const GgufTensor *to = &c->model->tensors[change_random(c, 2) % c->model->n_tensors];
        char other[200];
        snprintf(other, sizeof other, "%.*s%s", (int)to->name.size, to->name.data,
                 to == from ? "x" : "");
        gguf_put_tensor(c->writer, other, &t);
    } else if (c->change != TENSOR_OUT &&
               dtype_is_computable(t.dtype)) { /* no table of tokens */
        for (size_t r = 0; r < n / row; r++)
            dequantize_row(t.dtype, from->data + r * dtype_row_bytes(t.dtype, row), x + r * row,
                           row);
        if (c->change == TENSOR_NUMBERS)
            other_numbers(c, x, n), t = tensor_view(DTYPE_F32, t.ndim, t.shape, x);
        if (c->change == TENSOR_SHAPE) other_shape(c, &t, x);
        if (c->change == TENSOR_FORMAT) other_format(c, &t, x, room);
        gguf_put_tensor(c->writer, name, &t);
    }
    free(x), free(room);
}

/* Change number `number` of a model, beside another; the caller frees it. */
static inline unsigned char *changed_model(const Gguf *model, const Gguf *other,
                                           uint64_t number, Change *what, size_t *size) {
    Changer c = {number, *what = (Change)(number % CHANGES), model, other,
                 gguf_writer_open(NULL)};
    const size_t key = change_random(&c, 0) % model->n_pairs,
                 tensor = change_random(&c, 1) % model->n_tensors,
                 from = change_random(&c, 5) % other->n_tensors;
    unsigned char *bytes = NULL;
    char name[200];
    for (size_t i = 0; i < model->n_pairs; i++)
        if (i != key || c.change > KEY_LENGTH)
            gguf_put_pair(c.writer, &model->pairs[i]);
        else
            put_changed_pair(&c, &model->pairs[i]);
    if (c.change == KEY_OTHER) put_other_key(&c);
    for (size_t i = 0; i < model->n_tensors; i++) {
        const GgufTensor *t = &model->tensors[i];
        const Tensor view = gguf_tensor_view(t);
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        if (i != tensor || c.change < TENSOR_OUT || c.change == TENSOR_OTHER)
            gguf_put_tensor(c.writer, name, &view);
        else
            put_changed_tensor(&c, t, name);
    }
    if (c.change == TENSOR_OTHER) {
        const Tensor view = gguf_tensor_view(&other->tensors[from]);
        snprintf(name, sizeof name, "%.*s", (int)other->tensors[from].name.size,
                 other->tensors[from].name.data);
        gguf_put_tensor(c.writer, name, &view);
    }
    REQUIRE(gguf_write_memory(c.writer, &bytes, size, NULL), "no memory");
    gguf_writer_close(c.writer);
    return bytes;
}

#endif
