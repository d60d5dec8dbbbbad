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

static bool acts_on_none(const LowRank *a) { return a->rows && !a->rows->factor; }

/* Add an adapter to row i, if it acts on it. */
static void add_to_row(const LowRank *a, const float *x, size_t i, float *y) {
    LowRank here = *a;
    if (acts_on_none(a) || (a->rows && a->rows->factor[i] == 0)) return;
    if (a->rows) here.scale *= a->rows->factor[i];
    low_rank_add(&here, x + i * a->in, y + i * a->out);
}

static void add_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *rows = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        for (const LowRank *a = rows->first; a; a = a->next) add_to_row(a, rows->x, i, rows->y);
}

void low_rank_rows(Pool *pool, const LowRank *first, const float *x, size_t n, float *y) {
    while (first && acts_on_none(first)) first = first->next;
    Rows rows = {first, x, y};
    if (first) pool_for(pool, n, 1, add_rows, &rows);
}
