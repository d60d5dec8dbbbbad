/* bind.c - see bind.h. */
#include "bind.h"

#include <stdio.h>
#include <string.h>

/* "F32, F16, Q4_0 and so on": every format with kernels. */
static const char *computable_formats(char *out, size_t size) {
    size_t used = 0;
    for (uint32_t id = 0; id < DTYPE_COUNT && used < size; id++)
        if (dtype_is_computable(id))
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                     dtype_name(id));
    return out;
}

static Tensor bind_refuse(Binder *b) {
    b->ok = false;
    return (Tensor){.data = NULL};
}

/* Dimensions of 1 do not count: (1, n) and (n, 1) are (n). */
static bool bind_same_shape(const GgufTensor *t, int ndim, const size_t *shape) {
    int i = 0, k = 0;
    for (;; i++, k++) {
        while (i < ndim && shape[i] == 1) i++;
        while (k < t->ndim && t->shape[k] == 1) k++;
        if (i == ndim || k == t->ndim) return i == ndim && k == t->ndim;
        if (shape[i] != t->shape[k]) return false;
    }
}

Tensor bind_tensor(Binder *b, const char *name, bool required, int ndim, const size_t *shape,
                   const char *from) {
    char got[80], wanted[80], formats[300];
    if (!b->ok) return (Tensor){.data = NULL};
    const GgufTensor *found = gguf_find_tensor(&b->model->gguf, name);
    if (found) b->used_tensors[found - b->model->gguf.tensors] = true;
    tensor_shape_text(ndim, shape, wanted, sizeof wanted);
    if (!found && !required) return (Tensor){.data = NULL};
    if (!found) {
        fault_set(b->fault, "tensor '%s' is missing: a %s model needs it, %s by %s", name,
                  b->model->recipe->arch, wanted, from);
        return bind_refuse(b);
    }
    if (!bind_same_shape(found, ndim, shape)) {
        fault_set(
            b->fault,
            "tensor '%s' is %s, wanted %s by %s: the file's metadata and tensors disagree",
            name, tensor_shape_text(found->ndim, found->shape, got, sizeof got), wanted, from);
        return bind_refuse(b);
    }
    if (!dtype_is_computable(found->dtype)) {
        fault_set(b->fault,
                  "tensor '%s' is in %s, which is not built in: convert it to one of %s", name,
                  dtype_name(found->dtype), computable_formats(formats, sizeof formats));
        return bind_refuse(b);
    }
    /* (32) may stand for (32, 1), but in Q4_0 a row is whole blocks, so rows of 1 are
     * impossible */
    if (shape[ndim - 1] % dtype_info(found->dtype)->block != 0) {
        fault_set(b->fault, "tensor '%s' is in %s: rows of %zu do not divide into its blocks",
                  name, dtype_name(found->dtype), shape[ndim - 1]);
        return bind_refuse(b);
    }
    return tensor_view((Dtype)found->dtype, ndim, shape, (void *)found->data);
}

const char *block_name(const Binder *b, char *out, size_t size, size_t layer, const char *name,
                       const char *suffix) {
    bool first = layer < b->n_first;
    snprintf(out, size, "%s.%zu.%s%s%s", first ? b->first_blocks : b->blocks,
             first ? layer : layer - b->n_first, name, suffix ? "." : "", suffix ? suffix : "");
    return out;
}

const float *bind_numbers(Binder *b, const char *name, bool required, int ndim,
                          const size_t *shape, const char *from) {
    Tensor t = bind_tensor(b, name, required, ndim, shape, from);
    size_t count = 1;
    if (!t.data) return NULL;
    if (t.dtype == DTYPE_F32) return t.data;
    for (int i = 0; i < ndim; i++) count *= shape[i];
    float *copy = arena_take(&b->model->arena, count, sizeof *copy);
    if (!copy) return t.data; /* while measuring, only its presence counts */
    dequantize_row(t.dtype, t.data, copy, count);
    return copy;
}

const float *bind_vector(Binder *b, const char *name, bool required, size_t size,
                         const char *from) {
    return bind_numbers(b, name, required, 1, &size, from);
}

Norm bind_norm(Binder *b, const char *name, bool required, size_t heads, size_t width,
               const char *from) {
    const NormKind kind = b->model->recipe->norm;
    char full[120];
    const size_t shape[2] = {heads, width};
    int ndim = heads > 1 ? 2 : 1;
    Norm norm = {.width = width, .own_gain = heads > 1, .eps = b->model->eps};
    snprintf(full, sizeof full, "%s.weight", name);
    if (!gguf_find_tensor(&b->model->gguf, full) && gguf_find_tensor(&b->model->gguf, name))
        snprintf(full, sizeof full, "%s", name); /* Falcon H1 has a norm without ".weight" */
    norm.gain = bind_numbers(b, full, required, ndim, shape + 2 - ndim, from);
    if (!norm.gain) return norm; /* NORM_NONE */
    norm.kind = kind;
    snprintf(full, sizeof full, "%s.bias", name);
    if (kind == NORM_LAYER || b->norm_bias)
        norm.bias = bind_numbers(b, full, b->norm_bias, ndim, shape + 2 - ndim, from);
    return norm;
}
