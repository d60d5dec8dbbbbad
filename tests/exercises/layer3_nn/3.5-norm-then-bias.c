/* right: LayerNorm as RMSNorm of what is left, the bias added in a loop of its own; heads from the last to the first */
static void add_to(float *out, const float *bias, size_t n) {
    for (size_t i = 0; bias && i < n; i++) out[i] += bias[i];
}

void layer_norm(float *out, const float *x, const float *gain, const float *bias, size_t dim,
                float eps) {
    double total = 0;
    for (size_t i = 0; i < dim; i++) total += (double)x[i];
    for (size_t i = 0; i < dim; i++) out[i] = (float)((double)x[i] - total / (double)dim);
    rms_norm(out, out, gain, dim, eps);
    add_to(out, bias, dim);
}

void norm_apply(const Norm *norm, float *out, const float *x, size_t n) {
    if (norm->kind == NORM_NONE) {
        for (size_t i = 0; i < n; i++) out[i] = x[i];
        return;
    }
    for (size_t at = n; at > 0;) {
        at -= norm->width;
        const float *gain = norm->gain, *bias = norm->bias;
        if (gain && norm->own_gain) gain += at;
        if (bias && norm->own_gain) bias += at;
        if (norm->kind == NORM_LAYER)
            layer_norm(out + at, x + at, gain, bias, norm->width, norm->eps);
        else
            rms_norm(out + at, x + at, gain, norm->width, norm->eps),
                add_to(out + at, bias, norm->width);
    }
}
