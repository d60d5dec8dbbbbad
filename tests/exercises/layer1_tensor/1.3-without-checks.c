/* right: strides compared with those of a copy, where they are used; a reshape without its checks */
bool tensor_is_contiguous(const Tensor *tensor) {
    Tensor fresh = tensor_view(tensor->dtype, tensor->ndim, tensor->shape, NULL);
    bool same = true;
    for (int i = 0; i < tensor->ndim; i++)
        same &= tensor->shape[i] == 1 || fresh.stride[i] == tensor->stride[i];
    return same;
}

Tensor tensor_reshape(const Tensor *tensor, int ndim, const size_t *shape) {
    return tensor_view(tensor->dtype, ndim, shape, tensor->data);
}
