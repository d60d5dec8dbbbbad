/* right: rows by the length of the dimensions to the right; elements through a switch on their bytes */
static const char *row_at(const Tensor *tensor, size_t i) {
    const char *row = tensor->data;
    size_t below = 1;
    for (int dim = 0; dim < tensor->ndim - 1; dim++) below *= tensor->shape[dim];
    for (int dim = 0; dim < tensor->ndim - 1; dim++) {
        below /= tensor->shape[dim];
        row += i / below * tensor->stride[dim];
        i %= below;
    }
    return row;
}

float tensor_get(const Tensor *tensor, const size_t *index) {
    const unsigned char *p = tensor->data;
    int last = tensor->ndim - 1;
    for (int i = 0; i < tensor->ndim; i++)
        p += (i == last && tensor->dtype == DTYPE_Q8_0 ? index[i] / 32 : index[i]) *
             tensor->stride[i];
    if (tensor->dtype == DTYPE_F16) return f16_to_f32(load16(p));
    if (tensor->dtype == DTYPE_BF16) return bf16_to_f32(load16(p));
    if (tensor->dtype == DTYPE_Q8_0)
        return (float)(int8_t)p[2 + index[last] % 32] * f16_to_f32(load16(p));
    REQUIRE(tensor->dtype == DTYPE_F32, "%s elements are not read one by one",
            dtype_name(tensor->dtype));
    float value;
    memcpy(&value, p, 4);
    return value;
}
