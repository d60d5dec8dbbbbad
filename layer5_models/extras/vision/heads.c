/* heads.c - numbers of queries and keys in the order of half-split pairs.  See parts.h.
 *
 *     in the file   x0 x1 x2 | X0 X1 X2 | y0 y1 y2 | Y0 Y1 Y2
 *     here          x0 x1 x2 | y0 y1 y2 | X0 X1 X2 | Y0 Y1 Y2
 *
 * Pairs (x, X) are rotated by the column of a patch, pairs (y, Y) by its line.  Scores are the
 * same: they sum over all numbers of a head. */
#include "vision/parts.h"

#include <stdlib.h>
#include <string.h>

/* Where number i of heads of d numbers is in the file. */
static size_t place_in_file(size_t i, size_t d) {
    const size_t quarter = d / 4, part = i % d / quarter;
    static const size_t order[4] = {0, 2, 1, 3};
    return i - i % d + order[part] * quarter + i % quarter;
}

/* Copy n rows of so many bytes in our order to *at, and move it behind them. */
static const void *turn_rows(const void *from, size_t n, size_t bytes, size_t d,
                             unsigned char **at) {
    unsigned char *rows = *at;
    for (size_t i = 0; i < n; i++)
        memcpy(rows + i * bytes, (const unsigned char *)from + place_in_file(i, d) * bytes,
               bytes);
    *at += round_up(n * bytes, sizeof(float));
    return rows;
}

/* A map of queries or keys, its bias, and the gains of its norm. */
static void turn_map(Linear *map, Norm *norm, size_t d, unsigned char **at) {
    const size_t out = map->w.shape[0], bytes = dtype_row_bytes(map->w.dtype, map->w.shape[1]);
    map->w.data = (void *)turn_rows(map->w.data, out, bytes, d, at);
    if (map->bias) map->bias = turn_rows(map->bias, out, sizeof(float), d, at);
    norm->gain = turn_rows(norm->gain, d, sizeof(float), d, at);
}

static size_t map_bytes(const Linear *map, size_t d) {
    const size_t out = map->w.shape[0];
    return round_up(out * dtype_row_bytes(map->w.dtype, map->w.shape[1]), sizeof(float)) +
           (out + d) * sizeof(float);
}

bool turn_heads(Vision *v, Fault *fault) {
    Model *m = &v->model;
    const size_t d = m->layers->head_dim;
    size_t bytes = 0;
    for (size_t l = 0; l < m->sizes.layers; l++)
        bytes +=
            map_bytes(&m->blocks[l].attention.q, d) + map_bytes(&m->blocks[l].attention.k, d);
    if (!(v->heads = malloc(bytes)))
        return fault_set(fault, "no memory for %zu bytes of a vision tower's heads", bytes);
    unsigned char *at = v->heads;
    for (size_t l = 0; l < m->sizes.layers; l++) {
        Attention *a = &m->blocks[l].attention;
        turn_map(&a->q, &a->q_norm, d, &at), turn_map(&a->k, &a->k_norm, d, &at);
    }
    return true;
}
