/* position.h - other ways to say where a token stands. */
#ifndef STRATA_POSITION_H
#define STRATA_POSITION_H

#include "linalg.h"

/* Learned: x += row `position` of a table (ctx, dim), any computable format; GPT-2.
 * `row` is scratch of dim floats.  Needs position < ctx. */
void position_add_learned(float *x, const Tensor *table, size_t position, float *row);

/* ALiBi: the slope of a head; a score loses slope * distance.
 *
 *     slope = 2^(-max_bias * (head + 1) / heads)         for a power of two of heads;
 *     other numbers take every second slope of the next power of two for what is left over
 *
 * Source   Press, Smith & Lewis 2021, arXiv:2108.12409. */
float alibi_slope(size_t head, size_t heads, float max_bias);

#endif
