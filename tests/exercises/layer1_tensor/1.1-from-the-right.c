/* right: bytes counted up from the last dimension; a slice by taking the view of what is left */
Tensor tensor_view(Dtype dtype, int ndim, const size_t *shape, void *data) {
    Tensor t;
    t.dtype = dtype, t.ndim = ndim, t.data = data;
    for (int i = 0; i < TENSOR_MAX_DIMS; i++)
        t.shape[i] = i < ndim ? shape[i] : 1, t.stride[i] = 0;
    size_t bytes = dtype_info(dtype)->bytes;
    for (int i = ndim; i-- > 0;) {
        if (i < ndim - 1)
            bytes *=
                i == ndim - 2 ? shape[ndim - 1] / dtype_info(dtype)->block : t.shape[i + 1];
        t.stride[i] = bytes;
    }
    return t;
}

Tensor tensor_slice(const Tensor *tensor, int dim, size_t begin, size_t end) {
    Tensor part = *tensor;
    size_t per_step = 1;
    if (dim + 1 == part.ndim) per_step = dtype_info(part.dtype)->block;
    unsigned char *start = part.data;
    for (size_t i = 0; i < begin; i += per_step) start += part.stride[dim];
    part.data = start;
    part.shape[dim] -= begin + (tensor->shape[dim] - end);
    return part;
}
