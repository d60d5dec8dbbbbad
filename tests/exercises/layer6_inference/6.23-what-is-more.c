/* right: what is more is written first, and divided afterwards */
double speculate_accept_prob(const float *p, const float *q, int32_t token) {
    if (p[token] >= q[token]) return 1;
    return (double)p[token] / (double)q[token];
}

void speculate_residual(const float *p, const float *q, size_t n, float *out) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = p[i] > q[i] ? p[i] - q[i] : 0;
        sum += (double)out[i];
    }
    for (size_t i = 0; i < n; i++) out[i] = sum > 0 ? (float)((double)out[i] / sum) : p[i];
}
