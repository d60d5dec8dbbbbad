/* position.h - other ways to encode positions. */
#ifndef STRATA_POSITION_H
#define STRATA_POSITION_H

#include "linalg.h"

/* Learned (GPT-2): x += row `position` of a table (ctx, dim) of any computable format.
 * `row` is scratch of dim floats.  Needs position < ctx. */
void position_add_learned(float *x, const Tensor *table, size_t position, float *row);

/* ALiBi: slope * distance is subtracted from a head's scores.
 *
 *     slope = 2^(-max_bias * (head + 1) / heads)
 *
 * if heads is a power of two.  Otherwise the next lower power is used, and the remaining heads
 * have every second slope of the next higher one.
 *
 * Source   Press, Smith & Lewis 2021, arXiv:2108.12409. */
float alibi_slope(size_t head, size_t heads, float max_bias);

#endif
