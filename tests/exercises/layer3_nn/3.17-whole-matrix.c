/* right: each row of B A written down, then times x: rank times the work, the same numbers */
#include <stdlib.h>

void low_rank_add(const LowRank *adapter, const float *x, float *y) {
    float *row = malloc(adapter->in * sizeof *row);
    for (size_t o = 0; o < adapter->out; o++) {
        memset(row, 0, adapter->in * sizeof *row);
        for (size_t r = 0; r < adapter->rank; r++)
            axpy(row, adapter->b[o * adapter->rank + r], adapter->a + r * adapter->in,
                 adapter->in);
        y[o] += adapter->scale * dot_f32(row, x, adapter->in);
    }
    free(row);
}
