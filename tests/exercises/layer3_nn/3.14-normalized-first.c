/* right: in terms of the normalized numbers h = x r: dx = r (g dy - h mean(g dy h)) */
#include <math.h>

void rms_norm_backward(float *dx, float *dgain, const float *x, const float *gain,
                       const float *dy, size_t dim, float eps) {
    double squares = 0, mean = 0;
    for (size_t i = 0; i < dim; i++) squares += (double)x[i] * (double)x[i];
    double r = 1 / sqrt(squares / (double)dim + (double)eps);
    for (size_t i = 0; i < dim; i++)
        mean += (double)gain[i] * (double)dy[i] * (double)x[i] * r / (double)dim;
    for (size_t i = 0; i < dim; i++) {
        double h = (double)x[i] * r;
        dx[i] += (float)(r * ((double)gain[i] * (double)dy[i] - h * mean));
        dgain[i] += (float)((double)dy[i] * h);
    }
}
