/* right: entry `token` of the stack of rows, read number by number where the format allows it */
void embedding(float *out, const Tensor *table, size_t token) {
    Tensor row = tensor_slice(table, 0, token, token + 1);
    if (dtype_is_quantized(table->dtype)) {
        dequantize_row(row.dtype, row.data, out, row.shape[1]);
        return;
    }
    for (size_t i = 0; i < row.shape[1]; i++) out[i] = tensor_get(&row, (size_t[]){0, i});
}
