/* right: the step that is expected, from the last dimension to the first */
bool tensor_is_contiguous(const Tensor *tensor) {
    const DtypeInfo *info = dtype_info(tensor->dtype);
    size_t step = info->bytes;
    for (int i = tensor->ndim - 1; i >= 0; i--) {
        bool last = i == tensor->ndim - 1;
        if (tensor->shape[i] > 1 && tensor->stride[i] != step) return false;
        step *= last ? tensor->shape[i] / info->block : tensor->shape[i];
    }
    return true;
}

bool tensor_rows_are_contiguous(const Tensor *tensor) {
    Tensor row = tensor_view(tensor->dtype, 1, &tensor->shape[tensor->ndim - 1], tensor->data);
    return row.shape[0] / dtype_info(tensor->dtype)->block <= 1 ||
           row.stride[0] == tensor->stride[tensor->ndim - 1];
}
