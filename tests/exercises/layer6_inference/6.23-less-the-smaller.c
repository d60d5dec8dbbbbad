/* right: p less the smaller of both; the sum is 1 less what both have */
double speculate_accept_prob(const float *p, const float *q, int32_t token) {
    double a = (double)p[token], b = (double)q[token];
    if (b == 0) return 1;
    return a / b > 1 ? 1 : a / b;
}

void speculate_residual(const float *p, const float *q, size_t n, float *out) {
    double all = 0, both = 0;
    for (size_t i = 0; i < n; i++)
        all += (double)p[i], both += (double)(p[i] < q[i] ? p[i] : q[i]);
    for (size_t i = 0; i < n; i++) {
        double more = (double)p[i] - (double)(p[i] < q[i] ? p[i] : q[i]);
        out[i] = all > both ? (float)(more / (all - both)) : p[i];
    }
}
