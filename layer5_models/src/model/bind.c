/* bind.c - see bind.h. */
#include "bind.h"

#include <stdio.h>
#include <string.h>

static const GgufPair *find_key(Binder *b, const char *key) {
    char name[128];
    snprintf(name, sizeof name, "%s.%s", b->model->recipe->arch, key);
    return gguf_find(&b->model->gguf, name);
}

static bool wrong_key(Binder *b, const char *key, const char *what) {
    if (b->ok)
        fault_set(b->fault, "key '%s.%s' %s: this file is not a complete %s model",
                  b->model->recipe->arch, key, what, b->model->recipe->arch);
    return b->ok = false;
}

bool key_size(Binder *b, const char *key, bool needed, size_t fallback, size_t most,
              size_t *value) {
    *value = fallback;
    const GgufPair *pair = find_key(b, key);
    if (!pair) return needed ? wrong_key(b, key, "is missing") : b->ok;
    int64_t number, other;
    if (!gguf_int(pair, 0, &number)) return wrong_key(b, key, "is not a whole number");
    for (uint64_t i = 1; i < pair->count; i++)
        if (!gguf_int(pair, i, &other) || other != number)
            return wrong_key(b, key, "differs from layer to layer, which is not built in");
    char text[80];
    snprintf(text, sizeof text, "is %lld, wanted 0 to %zu", (long long)number, most);
    if (number < 0 || (uint64_t)number > most || (needed && number == 0))
        return wrong_key(b, key, text);
    *value = (size_t)number;
    return b->ok;
}

double key_number(Binder *b, const char *key, double fallback) {
    double value;
    return gguf_float(find_key(b, key), 0, &value) ? value : fallback;
}

Text key_text(Binder *b, const char *key, const char *fallback) {
    Text value;
    return gguf_string(find_key(b, key), &value) ? value : text_of(fallback);
}

static Tensor refuse(Binder *b) {
    b->ok = false;
    return (Tensor){.data = NULL};
}

Tensor bind_tensor(Binder *b, const char *name, bool needed, int ndim, const size_t *shape,
                   const char *from) {
    char got[80], wanted[80];
    if (!b->ok) return (Tensor){.data = NULL};
    const GgufTensor *found = gguf_find_tensor(&b->model->gguf, name);
    tensor_shape_text(ndim, shape, wanted, sizeof wanted);
    if (!found && !needed) return (Tensor){.data = NULL};
    if (!found) {
        fault_set(b->fault, "tensor '%s' is missing: a %s model needs it, %s by %s", name,
                  b->model->recipe->arch, wanted, from);
        return refuse(b);
    }
    bool fits =
        found->ndim <= ndim; /* a file leaves leading ones out: (1, n) is written as (n) */
    for (int i = 0; i < ndim && fits; i++) {
        int j = i - (ndim - found->ndim);
        fits = (j < 0 ? 1 : found->shape[j]) == shape[i];
    }
    if (!fits) {
        fault_set(
            b->fault,
            "tensor '%s' is %s, wanted %s by %s: the file's metadata and tensors disagree",
            name, tensor_shape_text(found->ndim, found->shape, got, sizeof got), wanted, from);
        return refuse(b);
    }
    if (!dtype_is_computable(found->dtype)) {
        fault_set(b->fault,
                  "tensor '%s' is in %s, which is not built in: wanted F32, F16, BF16, Q4_0 to "
                  "Q8_0, Q2_K to Q6_K, IQ4_NL, IQ4_XS, MXFP4 or TQ",
                  name, dtype_name(found->dtype));
        return refuse(b);
    }
    return tensor_view((Dtype)found->dtype, ndim, shape, (void *)found->data);
}

const float *bind_vector(Binder *b, const char *name, bool needed, size_t size,
                         const char *from) {
    Tensor t = bind_tensor(b, name, needed, 1, &size, from);
    if (!t.data) return NULL;
    if (t.dtype == DTYPE_F32 && (uintptr_t)t.data % sizeof(float) == 0) return t.data;
    float *copy = arena_take(&b->model->arena, size, sizeof *copy);
    if (copy) dequantize_row(t.dtype, t.data, copy, size);
    return copy ? copy
                : (const float *)
                      t.data; /* while the arena measures, only whether it is there counts */
}
