/* activation_backward.c - see activation.h. */
#include "activation.h"
#include "sigmoid.h"

void swiglu_backward(float *dgate, float *dup, const float *gate, const float *up,
                     const float *dout, size_t n) {
    float s[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        sigmoid(s, gate + start, count);
        for (size_t i = 0; i < count; i++) {
            float g = gate[start + i], u = up[start + i], d = dout[start + i];
            dup[start + i] = d * g * s[i];
            dgate[start + i] = d * u * s[i] * (1 + g * (1 - s[i]));
        }
    }
}

void silu_backward(float *dx, const float *x, const float *dy, size_t n) {
    float s[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        sigmoid(s, x + start, count);
        for (size_t i = 0; i < count; i++)
            dx[start + i] = dy[start + i] * s[i] * (1 + x[start + i] * (1 - s[i]));
    }
}
