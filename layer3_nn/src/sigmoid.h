/* sigmoid.h - 1 / (1 + exp(-x)), a chunk at a time: what SiLU and its gradient are made of. */
#ifndef STRATA_SIGMOID_H
#define STRATA_SIGMOID_H

#include <stddef.h>

enum { CHUNK = 256 }; /* numbers whose exponentials are computed at a time */

/* s[i] = 1 / (1 + exp(-x[i])) for up to CHUNK numbers.
 *
 *   s   (CHUNK)   written; may be x; what lies behind the first `count` is not kept
 *   x   (count)   read */
void sigmoid(float s[CHUNK], const float *x, size_t count);

#endif
