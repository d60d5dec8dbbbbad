/* right: a block of zeros apart, rounding by adding a half with the number's sign */
static void quantize_block(const float *x, BlockQ8_0 *block) {
    float top = fmaxf(largest(x, SMALL_BLOCK), -smallest(x, SMALL_BLOCK));
    memset(block, 0, sizeof *block);
    if (top == 0) return;
    float d = top / 127, inverse = 1 / d;
    block->d = f16_from_f32(d);
    for (int k = SMALL_BLOCK; k-- > 0;) {
        double v = (double)(x[k] * inverse);
        block->q[k] = (int8_t)(v < 0 ? v - 0.5 : v + 0.5);
    }
}
