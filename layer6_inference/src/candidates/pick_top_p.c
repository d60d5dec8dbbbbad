/* pick_top_p.c - how many of the best make up a mass.  See pick.h. */
#include "pick.h"

#include <math.h>

size_t pick_top_p(const float *logits, size_t n, float max, double mass) {
    double sum = 0;
    size_t m = 0;
    while (m < n && sum < mass && logits[m] > -INFINITY)
        sum += exp((double)logits[m++] - (double)max);
    return m ? m : 1;
}
