/* right: from the last product to the first */
float dot_f32_scalar(const float *a, const float *b, size_t n) {
    float sum = 0;
    while (n-- > 0) sum += a[n] * b[n];
    return sum;
}

float dot_f16_scalar(const uint16_t *w, const float *x, size_t n) {
    float sum = 0;
    while (n-- > 0) sum += f16_to_f32(w[n]) * x[n];
    return sum;
}

float dot_bf16_scalar(const uint16_t *w, const float *x, size_t n) {
    float sum = 0;
    while (n-- > 0) sum += bf16_to_f32(w[n]) * x[n];
    return sum;
}
