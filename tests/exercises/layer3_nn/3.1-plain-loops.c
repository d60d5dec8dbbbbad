/* right: no function of layer 2, one loop for each thing */
#include <math.h>

void softmax(float *out, const float *x, size_t n) {
    float high = x[0];
    double total = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] > high) high = x[i];
    for (size_t i = 0; i < n; i++) {
        out[i] = expf(x[i] - high);
        total += (double)out[i];
    }
    for (size_t i = 0; i < n; i++) out[i] = (float)((double)out[i] / total);
}
