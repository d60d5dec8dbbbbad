/* right: in terms of silu itself: its derivative is s + silu (1 - s) */
#include <math.h>

void swiglu_backward(float *dgate, float *dup, const float *gate, const float *up,
                     const float *dout, size_t n) {
    for (size_t i = n; i-- > 0;) {
        float bent, s = 1 / (1 + expf(-gate[i])), d = dout[i], u = up[i];
        silu(&bent, &gate[i], 1);
        dup[i] = bent * d;
        dgate[i] = u * d * (s + bent * (1 - s));
    }
}
