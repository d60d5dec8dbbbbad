/* pick_drawn.c - the candidate that a uniform sample selects.  See pick.h. */
#include "pick.h"

size_t pick_drawn(const float *weights, size_t n, double coin) {
    size_t last = n;
    for (size_t i = 0; i < n && coin >= 0; i++) {
        if (weights[i] <= 0) continue;
        last = i;
        coin -= (double)weights[i];
    }
    return last;
}
