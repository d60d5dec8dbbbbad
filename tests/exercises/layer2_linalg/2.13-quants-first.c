/* right: all 32 quants first, then packed; unpacked number by number */
void unpack_q4_0(const void *blocks, size_t n, Quants *out) {
    const BlockQ4_0 *block = blocks;
    for (size_t b = 0; b < n / 32; b++) {
        out->d[b] = f16_to_f32(block[b].d);
        for (size_t k = 0; k < 32; k++)
            out->q[32 * b + k] =
                (int8_t)(k < 16 ? block[b].q[k] % 16 : block[b].q[k - 16] / 16);
    }
}

void quantize_q4_0(const float *x, const float *importance, void *row, size_t n) {
    BlockQ4_0 *blocks = row;
    for (size_t b = 0; b < n / 32; b++) {
        int8_t ignored[32];
        int q[32];
        const float *v = x + 32 * b;
        float d = -farthest(v, 32) / 8;
        if (importance != NULL)
            d = fit_scale(
                (Fit){.x = v, .importance = importance + 32 * b, .n = 32, .low = -8, .high = 7},
                ignored);
        for (int k = 0; k < 32; k++) {
            float raised = d == 0 ? 8.5f : v[k] * (1 / d) + 8.5f;
            q[k] = raised >= 16 ? 15 : raised < 0 ? 0 : (int)raised;
        }
        blocks[b].d = f16_from_f32(d);
        for (int j = 0; j < 16; j++) blocks[b].q[j] = (uint8_t)(q[j + 16] * 16 + q[j]);
    }
}
