/* rows.c - see rows.h. */
#include "rows.h"

#include <string.h>

size_t rows_gather(float *to, const float *from, const bool *chosen, size_t n, size_t dim) {
    size_t some = 0;
    for (size_t i = 0; i < n; i++)
        if (chosen[i]) memmove(to + some++ * dim, from + i * dim, dim * sizeof *to);
    return some;
}

/* The last one first, so that none is overwritten before it has moved. */
void rows_spread(float *rows, const bool *chosen, size_t n, size_t dim) {
    size_t some = 0;
    for (size_t i = 0; i < n; i++) some += chosen[i];
    for (size_t i = n; i-- > 0;)
        if (chosen[i])
            memmove(rows + i * dim, rows + --some * dim, dim * sizeof *rows);
        else
            memset(rows + i * dim, 0, dim * sizeof *rows);
}
