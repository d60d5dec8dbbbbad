/* rows.h - some rows of a matrix, moved together and back.
 *
 *     chosen     -    *    -    *    *
 *     rows       a    b    c    d    e    --gather-->    b d e
 *                0    b    0    d    e    <--spread--
 *
 * Invariant: what is done to each row alone, between the two, is done as without them
 * [some_rows]. */
#ifndef STRATA_ROWS_H
#define STRATA_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/* The chosen ones of n rows of `dim` numbers.
 *
 *   to   (chosen, dim)   may be `from`
 *
 * Returns how many are chosen. */
size_t rows_gather(float *to, const float *from, const bool *chosen, size_t n, size_t dim);

/* Back to their places in rows (n, dim), at whose beginning they are; the others become 0. */
void rows_spread(float *rows, const bool *chosen, size_t n, size_t dim);

#endif
