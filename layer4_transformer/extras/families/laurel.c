/* laurel.c - see laurel.h. */
#include "laurel.h"

#include <math.h>

enum { ROWS = 4 }; /* rows per task */

void laurel_run_init(LaurelRun *run, size_t rows, size_t dim, size_t rank, Arena *arena) {
    size_t f = sizeof(float);
    *run = (LaurelRun){0};
    if (!rank) return;
    run->few = arena_take(arena, rows * rank, f);
    run->back = arena_take(arena, rows * dim, f);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows, max_size(dim, rank)), 1);
}

typedef struct Rows {
    const Laurel *laurel;
    float *back, *x;
    const float *h;
    size_t dim;
} Rows;

static void laurel_add_some(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const float half = sqrtf(0.5f);
    (void)worker;
    for (size_t i = begin * t->dim; i < end * t->dim; i += t->dim) {
        norm_apply(&t->laurel->norm, t->back + i, t->back + i, t->dim);
        for (size_t k = i; k < i + t->dim; k++)
            t->x[k] = (t->x[k] + t->h[k] + t->back[k]) * half;
    }
}

void laurel_forward(Pool *pool, const Laurel *laurel, LaurelRun *run, const float *h, size_t n,
                    float *x) {
    linear(pool, &laurel->left, h, n, run->few, run->scratch);
    linear(pool, &laurel->right, run->few, n, run->back, run->scratch);
    pool_for(pool, n, ROWS, laurel_add_some,
             &(Rows){laurel, run->back, x, h, laurel->left.w.shape[1]});
}
