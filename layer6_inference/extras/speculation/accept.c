/* accept.c - accepting or rejecting a drafted token.  See speculate.h. */
#include "speculate.h"

#include <math.h>

double speculate_accept_prob(const float *p, const float *q, int32_t token) {
    return q[token] > 0 ? fmin(1, (double)p[token] / (double)q[token]) : 1;
}

void speculate_residual(const float *p, const float *q, size_t n, float *out) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fmax(0, (double)p[i] - (double)q[i]);
    for (size_t i = 0; i < n; i++)
        out[i] = sum > 0 ? (float)(fmax(0, (double)p[i] - (double)q[i]) / sum) : p[i];
}
