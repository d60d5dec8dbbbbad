/* right: those with a weight are counted first, and the weights are added in a loop over them */
#include <math.h>

size_t pick_top_p(const float *logits, size_t n, float max, double mass) {
    size_t alive = 1;
    double sum = 0;
    while (alive < n && isfinite(logits[alive])) alive++;
    for (size_t m = 1; m < alive; m++)
        if ((sum += exp((double)logits[m - 1] - (double)max)) >= mass) return m;
    return alive;
}
