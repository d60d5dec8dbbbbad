/* right: the mean as a sum of quotients, and two loops, with gains and without */
float inverse_rms(const float *x, size_t dim, float eps) {
    float mean = eps;
    for (size_t i = 0; i < dim; i++) mean += x[i] * x[i] / (float)dim;
    return powf(mean, -0.5f);
}

void rms_norm(float *out, const float *x, const float *gain, size_t dim, float eps) {
    float by = inverse_rms(x, dim, eps);
    if (!gain) {
        for (size_t i = 0; i < dim; i++) out[i] = by * x[i];
        return;
    }
    for (size_t i = 0; i < dim; i++) out[i] = gain[i] * (by * x[i]);
}
