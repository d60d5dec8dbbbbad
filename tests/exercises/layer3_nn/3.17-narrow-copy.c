/* wrong: the first 64 numbers of x | x is copied into an array of 64, and the rest is cut off */
void low_rank_add(const LowRank *adapter, const float *x, float *y) {
    float t[LOW_RANK_MAX], xs[64];
    size_t in = adapter->in < 64 ? adapter->in : 64;
    memcpy(xs, x, in * sizeof *xs);
    for (size_t r = 0; r < adapter->rank; r++)
        t[r] = adapter->scale * dot_f32(adapter->a + r * adapter->in, xs, in);
    for (size_t o = 0; o < adapter->out; o++)
        y[o] += dot_f32(adapter->b + o * adapter->rank, t, adapter->rank);
}
