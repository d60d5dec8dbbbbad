/* right: largest and sum found in the same pass, the sum corrected when a larger score comes */
#include <math.h>

void softmax(float *out, const float *x, size_t n) {
    double high = -INFINITY, total = 0;
    for (size_t i = 0; i < n; i++) {
        double v = (double)x[i];
        if (v > high) {
            total = total * exp(high - v) + 1;
            high = v;
        } else if (v > -INFINITY || isnan(v)) {
            total += exp(v - high);
        }
    }
    for (size_t i = 0; i < n; i++) out[i] = (float)(exp((double)x[i] - high) / total);
}
