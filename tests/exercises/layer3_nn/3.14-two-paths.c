/* right: the two paths one after the other, the second through the gradient of r */
void rms_norm_backward(float *dx, float *dgain, const float *x, const float *gain,
                       const float *dy, size_t dim, float eps) {
    float r = inverse_rms(x, dim, eps), dr = 0;
    for (size_t i = 0; i < dim; i++) {
        dgain[i] += dy[i] * (x[i] * r);
        dx[i] += dy[i] * gain[i] * r;
        dr += dy[i] * gain[i] * x[i];
    }
    float dmean = -0.5f * r * r * r * dr;
    for (size_t i = 0; i < dim; i++) dx[i] += dmean * 2 * x[i] / (float)dim;
}
