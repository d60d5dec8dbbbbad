/* right: no chunks: every number by itself, with the exponential of the C library */
void sigmoid(float s[CHUNK], const float *x, size_t count) {
    for (size_t i = 0; i < count; i++) s[i] = 1 / (1 + expf(-x[i]));
}

void silu(float *out, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = x[i] / (1 + expf(-x[i]));
}

void activate_gated(Activation kind, float *out, const float *gate, const float *up, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float u = up[i];
        if (kind == ACT_SWIGLU_CLAMPED) {
            swiglu_clamped(&out[i], &gate[i], &u, 1);
            continue;
        }
        activate(kind, &out[i], &gate[i], 1);
        out[i] = u * out[i];
    }
}
