/* right: the sigmoid as (1 + tanh(x / 2)) / 2 where that keeps the digits of a small one; chunks counted the other way round */
void sigmoid(float s[CHUNK], const float *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        s[i] = x[i] < -3 ? expf(x[i]) / (1 + expf(x[i])) : 0.5f + 0.5f * tanhf(0.5f * x[i]);
}

void silu(float *out, const float *x, size_t n) {
    while (n) {
        float s[CHUNK];
        size_t count = n < CHUNK ? n : CHUNK;
        sigmoid(s, x, count);
        for (size_t i = 0; i < count; i++) out[i] = s[i] * x[i];
        out += count, x += count, n -= count;
    }
}
