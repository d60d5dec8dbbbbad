/* loss.c - see loss.h. */
#include "loss.h"

#include <math.h>

double log_sum_exp(const float *x, size_t n) {
    float chunk[256], max = vector_max(x, n);
    double sum = 0;
    for (size_t start = 0; start < n; start += 256) {
        size_t count = n - start < 256 ? n - start : 256;
        vector_exp(chunk, x + start, max, count);
        sum += (double)vector_sum(chunk, count);
    }
    return (double)max + log(sum);
}

double cross_entropy(const float *logits, size_t vocab, size_t target) {
    REQUIRE(target < vocab, "target %zu of a vocabulary of %zu", target, vocab);
    return log_sum_exp(logits, vocab) - (double)logits[target];
}

double cross_entropy_backward(float *logits, size_t vocab, size_t target, float scale) {
    double total = log_sum_exp(logits, vocab), loss = total - (double)logits[target];
    vector_exp(logits, logits, (float)total, vocab);
    logits[target] -= 1;
    for (size_t i = 0; i < vocab; i++) logits[i] *= scale;
    return loss;
}
