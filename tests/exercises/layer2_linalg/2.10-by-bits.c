/* right: BF16 by moving its bits up, scales read without the helpers */
static void dequantize_quants(const QuantFormat *f, const Quants *quants, float *out,
                              size_t n) {
    bool super = f->scales == SCALE_SUPERBLOCK;
    for (size_t begin = 0, g = 0; begin < n; begin += (size_t)f->group, g++) {
        float d = super ? quants->d[0] * (float)quants->sub_scale[g] : quants->d[g], m = 0;
        if (f->min) m = super ? quants->dmin[0] * (float)quants->sub_min[g] : quants->dmin[g];
        for (int i = 0; i < f->group; i++) {
            int quant = quants->q[begin + (size_t)i] - f->offset;
            out[begin + (size_t)i] = f->min ? d * (float)quant + m : d * (float)quant;
        }
    }
}

void dequantize_row(Dtype dtype, const void *row, float *out, size_t n) {
    const uint16_t *half = row;
    if (dtype != DTYPE_F32 && dtype != DTYPE_F16 && dtype != DTYPE_BF16) {
        dequantize_quantized(dtype, row, out, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = dtype == DTYPE_BF16 ? (uint32_t)half[i] << 16 : 0;
        if (dtype == DTYPE_F32)
            out[i] = ((const float *)row)[i];
        else if (dtype == DTYPE_F16)
            out[i] = f16_to_f32(half[i]);
        else
            memcpy(&out[i], &bits, 4);
    }
}
