/* right: lengths by the vector kernels, in floats; the cosine of two vectors of length 1 */
void pooling_normalize(float *x, size_t n) {
    float squares = dot_f32(x, x, n);
    if (squares == 0) return;
    float scale = 1 / sqrtf(squares);
    for (size_t i = 0; i < n; i++) x[i] *= scale;
}

double pooling_cosine(const float *a, const float *b, size_t n) {
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        double x = (double)a[i], y = (double)b[i];
        ab += x * y, aa += x * x, bb += y * y;
    }
    if (aa == 0 || bb == 0) return 0;
    return ab / sqrt(aa * bb);
}
