/* linalg.h - layer 2: from a dot product to a matrix product, in every number format.
 *
 * In reading order: */
#ifndef STRATA_LINALG_H
#define STRATA_LINALG_H

#include "dot.h"     /* six lines that are most of a language model */
#include "vector.h"  /* axpy, weighted sum, sum, max, exp: the other loops over vectors */
#include "scan.h"    /* one pass over a row of logits: sums, moments, survivors */
#include "convert.h" /* rows of numbers from one format to another */
#include "packed.h"  /* quantized weights rearranged, to be read many sub_scale */
#include "matmul.h"  /* matrix-vector and matrix-matrix: naive, blocked, packed */
#include "kernels.h" /* which instruction set computes */
#include "peak.h"    /* how fast this machine could be: the roof above every kernel */

#endif
