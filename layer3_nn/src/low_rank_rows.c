/* low_rank_rows.c - adapters for many rows at once.  See low_rank.h. */
#include "low_rank.h"

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
