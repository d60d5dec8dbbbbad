/* wrong: not a share | the mass is taken for a share of the weights at hand */
#include <math.h>

size_t pick_top_p(const float *logits, size_t n, float max, double mass) {
    double all = 0, sum = 0;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) all += exp((double)logits[i] - (double)max);
    while (m < n && sum < mass * all && logits[m] > -INFINITY)
        sum += exp((double)logits[m++] - (double)max);
    return m ? m : 1;
}
