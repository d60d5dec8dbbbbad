/* view.c - see view.h. */
#include "view.h"

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
    REQUIRE(tensor->ndim > 1, "a vector's entries are no tensors");
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
