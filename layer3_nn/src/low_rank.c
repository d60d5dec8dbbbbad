/* low_rank.c - see low_rank.h. */
#include "low_rank.h"

void low_rank_add(const LowRank *adapter, const float *x, float *y) {
    float t[LOW_RANK_MAX]; /* A x */
    for (size_t r = 0; r < adapter->rank; r++)
        t[r] = adapter->scale * dot_f32(adapter->a + r * adapter->in, x, adapter->in);
    for (size_t o = 0; o < adapter->out; o++)
        y[o] += dot_f32(adapter->b + o * adapter->rank, t, adapter->rank);
}

typedef struct Rows {
    const LowRank *first;
    const float *x;
    float *y;
} Rows;

static void add_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *rows = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        for (const LowRank *a = rows->first; a; a = a->next)
            low_rank_add(a, rows->x + i * a->in, rows->y + i * a->out);
}

void low_rank_rows(Pool *pool, const LowRank *first, const float *x, size_t n, float *y) {
    Rows rows = {first, x, y};
    if (first) pool_for(pool, n, 1, add_rows, &rows);
}
