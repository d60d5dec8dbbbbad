/* remask.c - which tokens of a step to keep.  See diffusion.h. */
#include "diffusion.h"

#include <math.h>
#include <string.h>

const char remask_names[] = "confidence, margin, entropy, random";

bool remask_read(const char *name, Remask *rule, Fault *fault) {
    static const char *const names[] = {"confidence", "margin", "entropy", "random"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) return *rule = (Remask)i, true;
    return fault_set(fault, "no remasking rule '%.40s': wanted %s", name, remask_names);
}

double diffusion_confidence(Remask rule, const float *logits, size_t n, int32_t token) {
    double max = -INFINITY, next = -INFINITY, sum = 0, mean = 0;
    for (size_t i = 0; i < n; i++) {
        double z = (double)logits[i];
        next = fmax(next, fmin(max, z)), max = fmax(max, z);
    }
    for (size_t i = 0; i < n; i++) {
        double z = (double)logits[i] - max, weight = exp(z);
        sum += weight;
        if (weight > 0) mean += weight * z;
    }
    if (rule == REMASK_MARGIN) return (1 - exp(next - max)) / sum;
    if (rule == REMASK_ENTROPY) return mean / sum - log(sum); /* sum of p ln p */
    return exp((double)logits[token] - max) / sum;
}

size_t diffusion_share(size_t open, size_t steps) { return (open + steps - 1) / steps; }

void diffusion_keep_surest(const double *sure, size_t n, size_t count, bool *stays) {
    memset(stays, 0, n * sizeof *stays);
    for (; count > 0; count--) {
        size_t best = n;
        for (size_t i = 0; i < n; i++)
            if (!stays[i] && sure[i] > (best < n ? sure[best] : -INFINITY)) best = i;
        if (best == n) return;
        stays[best] = true;
    }
}
