/* right: the probabilities are written down, the places taken by how many are surer */
#include <stdlib.h>

double diffusion_confidence(Remask rule, const float *logits, size_t n, int32_t token) {
    double *p = malloc(n * sizeof *p), sum = 0, result = 0;
    size_t best = 0, second = n;
    for (size_t i = 1; i < n; i++)
        if (logits[i] > logits[best]) best = i;
    for (size_t i = 0; i < n; i++) sum += p[i] = exp((double)(logits[i] - logits[best]));
    for (size_t i = 0; i < n; i++) p[i] /= sum;
    for (size_t i = 0; i < n; i++)
        if (i != best && (second == n || p[i] > p[second])) second = i;
    if (rule == REMASK_CONFIDENCE) result = p[token];
    if (rule == REMASK_MARGIN) result = p[best] - (second < n ? p[second] : 0);
    for (size_t i = 0; i < n && rule == REMASK_ENTROPY; i++)
        result += p[i] > 0 ? p[i] * log(p[i]) : 0;
    free(p);
    return result;
}

void diffusion_keep_surest(const double *sure, size_t n, size_t count, bool *stays) {
    for (size_t i = 0; i < n; i++) {
        size_t before = 0;
        for (size_t k = 0; k < n; k++) before += k < i ? sure[k] >= sure[i] : sure[k] > sure[i];
        stays[i] = before < count && sure[i] != -INFINITY;
    }
}
