/* right: log-sum-exp of the two halves put together, the scale taken in first */
double log_sum_exp(const float *x, size_t n) {
    if (n == 1) return (double)x[0];
    double a = log_sum_exp(x, n / 2), b = log_sum_exp(x + n / 2, n - n / 2);
    double high = a > b ? a : b, low = a > b ? b : a;
    return high == -INFINITY ? high : high + log1p(exp(low - high));
}

double cross_entropy_backward(float *logits, size_t vocab, size_t target, float scale) {
    double total = log_sum_exp(logits, vocab), loss = total - (double)logits[target];
    for (size_t i = 0; i < vocab; i++) logits[i] = scale * expf(logits[i] - (float)total);
    logits[target] -= scale;
    return loss;
}
