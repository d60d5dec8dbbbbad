/* wrong: A is (rank, in) | A read as (in, rank) */
void low_rank_add(const LowRank *adapter, const float *x, float *y) {
    float t[LOW_RANK_MAX] = {0};
    for (size_t k = 0; k < adapter->in; k++)
        axpy(t, adapter->scale * x[k], adapter->a + k * adapter->rank, adapter->rank);
    for (size_t o = 0; o < adapter->out; o++)
        y[o] += dot_f32(adapter->b + o * adapter->rank, t, adapter->rank);
}
