/* right: the group worked out for each number */
static void dequantize_quants(const QuantFormat *f, const Quants *quants, float *out,
                              size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t g = k / (size_t)f->group;
        float y = quants_scale(f, quants, g) * (float)(quants->q[k] - f->offset);
        out[k] = f->min ? y + quants_min(f, quants, g) : y;
    }
}

void dequantize_row(Dtype dtype, const void *row, float *out, size_t n) {
    const uint16_t *half = row;
    switch (dtype) {
    case DTYPE_F32: memmove(out, row, 4 * n); return;
    case DTYPE_F16:
        while (n-- > 0) *out++ = f16_to_f32(*half++);
        return;
    case DTYPE_BF16:
        while (n-- > 0) *out++ = bf16_to_f32(*half++);
        return;
    default: dequantize_quantized(dtype, row, out, n);
    }
}
