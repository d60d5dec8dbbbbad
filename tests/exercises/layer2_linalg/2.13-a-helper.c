/* right: a helper for one quant, the low halves first, then the high ones added */
static unsigned level(float x, float inverse) {
    return (unsigned)quant(8.5f + inverse * x, 15);
}

void quantize_q4_0(const float *x, const float *importance, void *row, size_t n) {
    BlockQ4_0 *block = row;
    for (const float *end = x + n; x < end; x += 32, block++) {
        int8_t q[32];
        float far = farthest(x, 32), d = far / -8;
        if (importance) {
            d = fit_scale((Fit){x, importance, 32, -8, 7, NULL}, q);
            importance += 32;
        }
        block->d = f16_from_f32(d);
        for (int j = 0; j < 16; j++) block->q[j] = (uint8_t)level(x[j], d != 0 ? 1 / d : 0);
        for (int j = 0; j < 16; j++)
            block->q[j] |= (uint8_t)(level(x[16 + j], d != 0 ? 1 / d : 0) << 4);
    }
}
