/* right: the largest magnitude by a loop of its own, lroundf; unpacked number by number */
void unpack_q8_0(const void *blocks, size_t n, Quants *out) {
    const BlockQ8_0 *block = blocks;
    for (size_t k = 0; k < n; k++) {
        out->q[k] = block[k / 32].q[k % 32];
        if (k % 32 == 0) out->d[k / 32] = f16_to_f32(block[k / 32].d);
    }
}

static void quantize_block(const float *x, BlockQ8_0 *block) {
    float high = 0;
    for (int k = 0; k < 32; k++) high = fmaxf(high, fabsf(x[k]));
    float d = high / 127;
    block->d = f16_from_f32(d);
    for (int k = 0; k < 32; k++) block->q[k] = d > 0 ? (int8_t)lroundf(x[k] * (1 / d)) : 0;
}
