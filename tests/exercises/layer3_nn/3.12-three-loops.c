/* right: three plain loops each, no other function */
void linear_dense(Pool *pool, const float *w, size_t out, size_t in, const float *x, size_t n,
                  float *y, float *scratch) {
    for (size_t c = 0; c < n; c++)
        for (size_t r = 0; r < out; r++) {
            float sum = 0;
            for (size_t k = 0; k < in; k++) sum += w[r * in + k] * x[c * in + k];
            y[c * out + r] = sum;
        }
}

void linear_backward(Pool *pool, float *dx, bool add_dx, float *dw, const float *w, size_t out,
                     size_t in, const float *x, const float *dy, size_t n, float *scratch) {
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; k < in; k++) {
            float sum = add_dx ? dx[c * in + k] : 0;
            for (size_t r = 0; r < out; r++) {
                sum += dy[c * out + r] * w[r * in + k];
                dw[r * in + k] += dy[c * out + r] * x[c * in + k];
            }
            dx[c * in + k] = sum;
        }
}
