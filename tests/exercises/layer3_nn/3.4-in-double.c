/* right: the sum of squares in double, a division for each number */
float inverse_rms(const float *x, size_t dim, float eps) {
    double squares = 0;
    for (size_t i = 0; i < dim; i++) squares += (double)x[i] * (double)x[i];
    return (float)(1 / sqrt(squares / (double)dim + (double)eps));
}

void rms_norm(float *out, const float *x, const float *gain, size_t dim, float eps) {
    float root = 1 / inverse_rms(x, dim, eps);
    for (size_t i = 0; i < dim; i++) out[i] = gain ? x[i] / root * gain[i] : x[i] / root;
}
