/* right: activate by a table of functions, the product with up first put aside */

void activate(Activation kind, float *out, const float *x, size_t n) {
    static void (*const by_name[])(float *, const float *,
                                   size_t) = {[ACT_RELU] = relu,
                                              [ACT_RELU_SQUARED] = relu_squared,
                                              [ACT_GELU_ERF] = gelu_erf,
                                              [ACT_GELU_TANH] = gelu_tanh,
                                              [ACT_GELU_QUICK] = gelu_quick,
                                              [ACT_SILU] = silu};
    REQUIRE(kind != ACT_SWIGLU_CLAMPED, "needs a gate");
    by_name[kind](out, x, n);
}
