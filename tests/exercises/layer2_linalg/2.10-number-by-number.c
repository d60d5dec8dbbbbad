/* right: the group worked out for each number */
static void dequantize_f16(const void *row, float *out, size_t n) {
    for (const uint16_t *half = row; n-- > 0;) *out++ = f16_to_f32(*half++);
}

static void dequantize_quants(const QuantFormat *f, const Quants *quants, float *out,
                              size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t g = k / (size_t)f->group;
        float y = quants_scale(f, quants, g) * (float)(quants->q[k] - f->offset);
        out[k] = f->min ? y + quants_min(f, quants, g) : y;
    }
}
