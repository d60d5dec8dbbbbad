/* right: each stride as a product of its own; views through memmove and a swap */
static void swap(size_t *a, size_t *b) {
    size_t was = *a;
    *a = *b, *b = was;
}

Tensor tensor_view(Dtype dtype, int ndim, const size_t *shape, void *data) {
    Tensor t = {dtype, ndim, {1, 1, 1, 1}, {0}, data};
    for (int i = 0; i < ndim; i++) {
        t.shape[i] = shape[i];
        t.stride[i] =
            i == ndim - 1 ? dtype_info(dtype)->bytes : dtype_row_bytes(dtype, shape[ndim - 1]);
        for (int k = i + 1; k < ndim - 1; k++) t.stride[i] *= shape[k];
    }
    return t;
}

Tensor tensor_select(const Tensor *tensor, size_t i) {
    Tensor t = tensor_slice(tensor, 0, i, i + 1);
    for (int dim = 0; dim + 1 < tensor->ndim; dim++)
        swap(&t.shape[dim], &t.shape[dim + 1]), swap(&t.stride[dim], &t.stride[dim + 1]);
    t.ndim -= 1;
    return t;
}

Tensor tensor_transpose(const Tensor *tensor, int dim_a, int dim_b) {
    Tensor t = *tensor;
    swap(&t.shape[dim_a], &t.shape[dim_b]);
    swap(&t.stride[dim_a], &t.stride[dim_b]);
    return t;
}
