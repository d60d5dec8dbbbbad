/* right: no chunks, in double, the derivative as s + g s (1 - s) */
#include <math.h>

void swiglu_backward(float *dgate, float *dup, const float *gate, const float *up,
                     const float *dout, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double g = (double)gate[i], u = (double)up[i], d = (double)dout[i],
               s = 1 / (1 + exp(-g));
        dgate[i] = (float)(d * u * (s + g * s * (1 - s)));
        dup[i] = (float)(d * g * s);
    }
}
