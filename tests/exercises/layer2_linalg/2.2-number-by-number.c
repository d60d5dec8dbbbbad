/* right: each number's whole sum at once, its rows in order */
void axpy_scalar(float *y, float a, const float *x, size_t n) {
    for (; n; n--, x++, y++) *y = fmaf(*x, a, *y);
}

static inline void widen_and_sum(StripFormat format, const WeightedTask *t) {
    for (size_t c = 0; c < t->count; c++)
        for (size_t i = 0; i < t->n; i++) {
            float sum = t->y[c * t->y_step + i];
            for (size_t j = 0; j < t->rows; j++) {
                size_t at = i / STRIP * t->x_step + STRIP * j;
                sum = fmaf(t->a[c * t->a_step + j],
                           strip_number(format,
                                        (const char *)t->x + strip_number_bytes(format) * at,
                                        i % STRIP),
                           sum);
            }
            t->y[c * t->y_step + i] = sum;
        }
}

float vector_max_scalar(const float *x, size_t n) {
    float high = -INFINITY;
    bool odd = false;
    for (size_t i = 0; i < n; i++) odd = odd || isnan(x[i]), high = fmaxf(high, x[i]);
    return odd ? NAN : high;
}
