/* join.c - see join.h. */
#include "join.h"

#include <string.h>

void join_run_init(JoinRun *run, size_t rows, size_t dim, size_t wide, Arena *arena) {
    *run = (JoinRun){0};
    if (!dim) return;
    run->both = arena_take(arena, rows * 2 * dim, sizeof *run->both);
    run->scratch = arena_take(arena, linear_scratch_bytes(rows, wide), 1);
}

void join_forward(Pool *pool, const Join *join, JoinRun *run, const float *hidden, size_t n,
                  float *x) {
    size_t dim = join->token_norm.width;
    for (size_t i = 0; i < n; i++) {
        float *both = run->both + i * 2 * dim;
        norm_apply(&join->token_norm, both, x + i * dim, dim);
        norm_apply(&join->hidden_norm, both + dim, hidden + i * dim, dim);
        if (!join->map.w.data)
            memcpy(x + i * dim, join->normed ? both + dim : hidden + i * dim, dim * sizeof *x);
    }
    if (join->map.w.data) linear(pool, &join->map, run->both, n, x, run->scratch);
}
