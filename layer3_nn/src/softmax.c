/* softmax.c - see softmax.h. */
#include "softmax.h"

void softmax(float *out, const float *x, size_t n) {
    REQUIRE(n > 0, "softmax of nothing");
    vector_exp(out, x, vector_max(x, n), n);
    float scale = 1 / vector_sum(out, n);
    for (size_t i = 0; i < n; i++) out[i] *= scale;
}
