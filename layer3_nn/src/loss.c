/* loss.c - see loss.h. */
#include "loss.h"
#include "real.h"

#include <math.h>

double log_sum_exp(const float *x, size_t n) {
    float max = vector_max(x, n);
    return (double)max + real_log(scan_exp(x, n, max).sum);
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
