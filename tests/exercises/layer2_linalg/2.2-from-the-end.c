/* right: from the last number to the first; the largest by a comparison that NaN fails */
void axpy_scalar(float *y, float a, const float *x, size_t n) {
    for (size_t i = n; i-- > 0;) y[i] = fmaf(x[i], a, y[i]);
}

float vector_max_scalar(const float *x, size_t n) {
    float high = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (!(x[i] <= high)) {
            high = x[i];
            if (high != high) return high;
        }
    return high;
}
