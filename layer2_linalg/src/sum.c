/* sum.c - the sum of a vector.  See vector.h. */
#include "kernel_types.h"

float vector_sum_scalar(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}
