/* right: one number through at a time, and its column of B added; in double */
void low_rank_add(const LowRank *adapter, const float *x, float *y) {
    for (size_t r = 0; r < adapter->rank; r++) {
        double t = 0;
        for (size_t k = 0; k < adapter->in; k++)
            t += (double)adapter->a[r * adapter->in + k] * (double)x[k];
        for (size_t o = 0; o < adapter->out; o++)
            y[o] += (float)(t * (double)(adapter->scale * adapter->b[o * adapter->rank + r]));
    }
}
