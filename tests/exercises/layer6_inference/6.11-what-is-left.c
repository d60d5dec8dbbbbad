/* right: what is still wanted, less each weight */
#include <math.h>

size_t pick_top_p(const float *logits, size_t n, float max, double mass) {
    for (size_t i = 0; i < n; i++) {
        if (i && logits[i] == -INFINITY) return i;
        mass -= exp((double)logits[i] - (double)max);
        if (mass <= 0) return i + 1;
    }
    return n;
}
