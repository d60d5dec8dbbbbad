/* wrong: B is (out, rank) | B read as (rank, out) */
void low_rank_add(const LowRank *adapter, const float *x, float *y) {
    for (size_t r = 0; r < adapter->rank; r++)
        axpy(y, adapter->scale * dot_f32(adapter->a + r * adapter->in, x, adapter->in),
             adapter->b + r * adapter->out, adapter->out);
}
