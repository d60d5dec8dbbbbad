/* view.c - see view.h. */
#include "view.h"
#include "half.h"

#include <stdio.h>
#include <string.h>

Tensor tensor_view(Dtype dtype, int ndim, const size_t *shape, void *data) {
    REQUIRE(ndim >= 1 && ndim <= TENSOR_MAX_DIMS, "a tensor has 1 to 4 dimensions, not %d",
            ndim);
    Tensor t = {.dtype = dtype, .ndim = ndim, .shape = {1, 1, 1, 1}, .data = data};
    for (int i = 0; i < ndim; i++) t.shape[i] = shape[i];
    size_t step = dtype_row_bytes(dtype, shape[ndim - 1]);
    t.stride[ndim - 1] = dtype_info(dtype)->bytes;
    for (int i = ndim - 2; i >= 0; i--) {
        t.stride[i] = step;
        step *= shape[i];
    }
    return t;
}

size_t tensor_count(const Tensor *tensor) {
    size_t count = 1;
    for (int i = 0; i < tensor->ndim; i++) count *= tensor->shape[i];
    return count;
}

size_t tensor_bytes(const Tensor *tensor) {
    return dtype_row_bytes(tensor->dtype, tensor_count(tensor));
}

Tensor tensor_slice(const Tensor *tensor, int dim, size_t begin, size_t end) {
    REQUIRE(dim >= 0 && dim < tensor->ndim, "dimension %d of %d", dim, tensor->ndim);
    REQUIRE(begin <= end && end <= tensor->shape[dim], "slice %zu..%zu of %zu", begin, end,
            tensor->shape[dim]);
    size_t block = dim == tensor->ndim - 1 ? dtype_info(tensor->dtype)->block : 1;
    REQUIRE(begin % block == 0 && end % block == 0, "slice %zu..%zu cuts a block of %zu", begin,
            end, block);
    Tensor t = *tensor;
    t.data = (char *)t.data + begin / block * t.stride[dim];
    t.shape[dim] = end - begin;
    return t;
}

Tensor tensor_select(const Tensor *tensor, size_t i) {
    REQUIRE(tensor->ndim > 1, "a vector's entries are not tensors");
    REQUIRE(i < tensor->shape[0], "entry %zu of %zu", i, tensor->shape[0]);
    Tensor t = *tensor;
    t.data = (char *)t.data + i * t.stride[0];
    t.ndim--;
    for (int dim = 0; dim < t.ndim; dim++)
        t.shape[dim] = tensor->shape[dim + 1], t.stride[dim] = tensor->stride[dim + 1];
    t.shape[t.ndim] = 1;
    return t;
}

Tensor tensor_transpose(const Tensor *tensor, int dim_a, int dim_b) {
    int last = tensor->ndim - 1;
    REQUIRE(dim_a >= 0 && dim_a <= last && dim_b >= 0 && dim_b <= last,
            "dimensions %d and %d of %d", dim_a, dim_b, last + 1);
    REQUIRE(dtype_info(tensor->dtype)->block == 1 || (dim_a != last && dim_b != last),
            "blocks of %s lie along the last dimension", dtype_name(tensor->dtype));
    Tensor t = *tensor;
    t.shape[dim_a] = tensor->shape[dim_b], t.stride[dim_a] = tensor->stride[dim_b];
    t.shape[dim_b] = tensor->shape[dim_a], t.stride[dim_b] = tensor->stride[dim_a];
    return t;
}

/* The start of row i; the second to last dimension's index runs fastest. */
static const char *row_at(const Tensor *tensor, size_t i) {
    const char *row = tensor->data;
    for (int dim = tensor->ndim - 2; dim >= 0; i /= tensor->shape[dim--])
        row += i % tensor->shape[dim] * tensor->stride[dim];
    return row;
}

const void *tensor_row(const Tensor *tensor, size_t i) {
    size_t rows = 1;
    for (int dim = tensor->ndim - 2; dim >= 0; dim--) rows *= tensor->shape[dim];
    REQUIRE(i < rows, "row %zu of %zu", i, rows);
    REQUIRE(tensor_rows_are_contiguous(tensor), "a transpose has no rows in one piece");
    return row_at(tensor, i);
}

static uint16_t load16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }

float tensor_get(const Tensor *tensor, const size_t *index) {
    const unsigned char *p = tensor->data;
    int last = tensor->ndim - 1;
    size_t block = dtype_info(tensor->dtype)->block;
    for (int i = 0; i < last; i++) p += index[i] * tensor->stride[i];
    p += index[last] / block * tensor->stride[last];
    float value;
    switch (tensor->dtype) {
    case DTYPE_F32: memcpy(&value, p, sizeof value); return value;
    case DTYPE_F16: return f16_to_f32(load16(p));
    case DTYPE_BF16: return bf16_to_f32(load16(p));
    case DTYPE_Q8_0: return f16_to_f32(load16(p)) * (float)(signed char)p[2 + index[last] % 32];
    default: REQUIRE(false, "%s elements are not read one by one", dtype_name(tensor->dtype));
    }
    return 0;
}

bool tensor_is_contiguous(const Tensor *tensor) {
    Tensor packed = tensor_view(tensor->dtype, tensor->ndim, tensor->shape, tensor->data);
    for (int i = 0; i < tensor->ndim; i++)
        if (tensor->shape[i] != 1 && tensor->stride[i] != packed.stride[i]) return false;
    return true;
}

bool tensor_rows_are_contiguous(const Tensor *tensor) {
    int last = tensor->ndim - 1;
    return tensor->shape[last] <= dtype_info(tensor->dtype)->block ||
           tensor->stride[last] == dtype_info(tensor->dtype)->bytes;
}

Tensor tensor_reshape(const Tensor *tensor, int ndim, const size_t *shape) {
    REQUIRE(tensor_is_contiguous(tensor),
            "only contiguous data can be reshaped without copying");
    Tensor t = tensor_view(tensor->dtype, ndim, shape, tensor->data);
    REQUIRE(tensor_count(&t) == tensor_count(tensor), "%zu elements do not become %zu",
            tensor_count(tensor), tensor_count(&t));
    return t;
}

const char *tensor_shape_text(int ndim, const size_t *shape, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "(");
    for (int i = 0; i < ndim && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i ? ", %zu" : "%zu", shape[i]);
    if (used < size) snprintf(text + used, size - used, ")");
    return text;
}
