/* contiguous.c - do the numbers lie in one piece, in the order of their indices?  See view.h. */
#include "view.h"

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
