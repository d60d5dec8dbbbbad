/* right: where the row lies worked out from the stride */
void embedding(float *out, const Tensor *table, size_t token) {
    const char *row = (const char *)table->data + token * table->stride[0];
    dequantize_row(table->dtype, row, out, table->shape[1]);
}
