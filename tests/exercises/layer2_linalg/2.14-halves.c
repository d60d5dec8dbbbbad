/* right: the two halves in a loop, the sums last */
float quantize_input_block_scalar(const float *restrict x, int8_t *restrict q, int16_t *sum) {
    uint32_t bits = largest_bits(x);
    float max;
    memcpy(&max, &bits, sizeof max);
    bool finite = bits < 0x7F800000, tiny = !(max > 1e-30f);
    float inverse = tiny || !finite ? 0 : 127 / max;
    for (int half = 0; half < 2; half++) {
        int total = 0;
        for (int i = 16 * half; i < 16 * half + 16; i++)
            total += q[i] = finite ? (int8_t)nearest(x[i] * inverse) : 0;
        sum[half] = (int16_t)total;
    }
    return finite ? tiny ? 0 : max / 127 : NAN;
}
