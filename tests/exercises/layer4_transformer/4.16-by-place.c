/* right: places sorted by their scores; the first of them are chosen */
#include <stdlib.h>

typedef struct Scored {
    float score;
    size_t place;
} Scored;

static int better_first(const void *a, const void *b) {
    const Scored *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

void choose_top(const float *scores, size_t n, size_t top, uint64_t *chosen) {
    Scored *all = malloc((n + 1) * sizeof *all);
    for (size_t i = 0; i < n; i++) all[i] = (Scored){scores[i], i};
    qsort(all, n, sizeof *all, better_first);
    memset(chosen, 0, (n / 64 + 1) * sizeof *chosen);
    for (size_t i = 0; i < n && i < top; i++)
        chosen[all[i].place / 64] |= (uint64_t)1 << all[i].place % 64;
    free(all);
}
