/* right: magnitudes as floats, a NaN noticed by itself, rintf */
float quantize_input_block_scalar(const float *restrict x, int8_t *restrict q, int16_t *sum) {
    float high = 0;
    memset(q, 0, 32);
    sum[0] = sum[1] = 0;
    for (int i = 0; i < 32; i++) {
        if (!isfinite(x[i])) return NAN;
        high = fmaxf(high, fabsf(x[i]));
    }
    if (high <= 1e-30f) return 0;
    float inverse = 127 / high;
    for (int i = 0; i < 32; i++) {
        q[i] = (int8_t)rintf(x[i] * inverse);
        sum[i / 16] = (int16_t)(sum[i / 16] + q[i]);
    }
    return high / 127;
}
