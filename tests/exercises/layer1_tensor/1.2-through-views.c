/* right: rows counted up to theirs; the indices taken off one after the other by selecting */
static const char *row_at(const Tensor *tensor, size_t i) {
    size_t index[TENSOR_MAX_DIMS] = {0};
    for (size_t k = 0; k < i; k++) {
        int dim = tensor->ndim - 2;
        while (++index[dim] == tensor->shape[dim]) index[dim--] = 0;
    }
    const char *row = tensor->data;
    for (int dim = 0; dim + 1 < tensor->ndim; dim++) row += index[dim] * tensor->stride[dim];
    return row;
}

float tensor_get(const Tensor *tensor, const size_t *index) {
    Tensor t = *tensor;
    while (t.ndim > 1) t = tensor_select(&t, *index++);
    const unsigned char *p =
        (const unsigned char *)t.data + *index / dtype_info(t.dtype)->block * t.stride[0];
    float row[32];
    switch (t.dtype) {
    case DTYPE_F32: memcpy(row, p, 4); break;
    case DTYPE_F16: row[0] = f16_to_f32(load16(p)); break;
    case DTYPE_BF16: row[0] = bf16_to_f32(load16(p)); break;
    default:
        REQUIRE(t.dtype == DTYPE_Q8_0, "%s elements are not read one by one",
                dtype_name(t.dtype));
        for (int k = 0; k < 32; k++)
            row[k] = f16_to_f32(load16(p)) * (float)(signed char)p[2 + k];
        return row[*index % 32];
    }
    return row[0];
}
