/* sigmoid.h - 1 / (1 + exp(-x)) for a chunk of numbers, for SiLU and its gradient. */
#ifndef STRATA_SIGMOID_H
#define STRATA_SIGMOID_H

#include <stddef.h>

enum { CHUNK = 256 }; /* numbers at a time */

/* s[i] = 1 / (1 + exp(-x[i])) for up to CHUNK numbers.
 *
 *   s   (CHUNK)   written; may be x; numbers past `count` are overwritten
 *   x   (count)   read */
void sigmoid(float s[CHUNK], const float *x, size_t count);

#endif
