/* right: even and odd products in sums of their own, pointers for indices */
#include <math.h>

float dot_f32_scalar(const float *a, const float *b, size_t n) {
    float even = 0, odd = 0;
    for (const float *end = a + n; a < end; a++, b++) {
        even = fmaf(*a, *b, even);
        float last = even;
        even = odd, odd = last;
    }
    return even + odd;
}

float dot_f16_scalar(const uint16_t *w, const float *x, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += (double)f16_to_f32(w[k]) * (double)x[k];
    return (float)sum;
}
