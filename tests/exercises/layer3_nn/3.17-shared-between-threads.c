/* wrong: outlives the call | the thin way through is one array for all threads */
void low_rank_add(const LowRank *adapter, const float *x, float *y) {
    static float t[LOW_RANK_MAX];
    for (size_t r = 0; r < adapter->rank; r++)
        t[r] = adapter->scale * dot_f32(adapter->a + r * adapter->in, x, adapter->in);
    for (size_t o = 0; o < adapter->out; o++)
        y[o] += dot_f32(adapter->b + o * adapter->rank, t, adapter->rank);
}
