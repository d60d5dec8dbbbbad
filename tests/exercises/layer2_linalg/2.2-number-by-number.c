/* right: each number's whole sum at once, its rows in order */
void axpy_scalar(float *y, float a, const float *x, size_t n) {
    for (; n; n--, x++, y++) *y = fmaf(*x, a, *y);
}

void weighted_sum_scalar(const WeightedTask *t) {
    const float *x = t->x;
    for (size_t c = 0; c < t->count; c++)
        for (size_t i = 0; i < t->n; i++) {
            float sum = t->y[c * t->y_step + i];
            for (size_t j = 0; j < t->rows; j++)
                sum = fmaf(t->a[c * t->a_step + j],
                           x[i / STRIP * t->x_step + STRIP * j + i % STRIP], sum);
            t->y[c * t->y_step + i] = sum;
        }
}

void weighted_sum_f16_scalar(const WeightedTask *t) {
    const uint16_t *x = t->x;
    for (size_t c = 0; c < t->count; c++)
        for (size_t i = 0; i < t->n; i++) {
            float *y = t->y + c * t->y_step + i;
            for (size_t j = 0; j < t->rows; j++)
                *y = fmaf(t->a[c * t->a_step + j],
                          f16_to_f32(x[i / STRIP * t->x_step + STRIP * j + i % STRIP]), *y);
        }
}

float vector_max_scalar(const float *x, size_t n) {
    float high = -INFINITY;
    bool odd = false;
    for (size_t i = 0; i < n; i++) odd = odd || isnan(x[i]), high = fmaxf(high, x[i]);
    return odd ? NAN : high;
}
