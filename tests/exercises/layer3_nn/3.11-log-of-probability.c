/* right: plain loops in double, the gradient from the probabilities */
double log_sum_exp(const float *x, size_t n) {
    double high = (double)x[0], total = 0;
    for (size_t i = 1; i < n; i++) high = fmax(high, (double)x[i]);
    for (size_t i = 0; i < n; i++) total += exp((double)x[i] - high);
    return high + log(total);
}

double cross_entropy(const float *logits, size_t vocab, size_t target) {
    return -((double)logits[target] - log_sum_exp(logits, vocab));
}

double cross_entropy_backward(float *logits, size_t vocab, size_t target, float scale) {
    double total = log_sum_exp(logits, vocab), loss = cross_entropy(logits, vocab, target);
    for (size_t i = 0; i < vocab; i++) {
        double p = exp((double)logits[i] - total);
        logits[i] = (float)((double)scale * (i == target ? p - 1 : p));
    }
    return loss;
}
