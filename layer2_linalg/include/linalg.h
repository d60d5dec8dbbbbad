/* linalg.h - layer 2: from a dot product to a matrix product, in every number format.
 *
 * The sources are the scalar versions, under the same names.  Their fast siblings are in
 * src/avx2, extras/avx512, extras/neon and extras/wasm; src/simd has the loops that these
 * share.
 *
 * In reading order: */
#ifndef STRATA_LINALG_H
#define STRATA_LINALG_H

#include "dot.h"    /* six lines that are most of a language model */
#include "vector.h" /* axpy, weighted sum, sum, max, mask, exp: the other loops over vectors */
#include "weighted_bytes.h" /* weighted sums of bytes, as integers */
#include "hadamard.h"       /* a rotation that spreads an outlier over all numbers */
#include "recurrence.h"     /* a step of a linear recurrence, as in state-space models */
#include "scan.h"           /* one pass over a row of logits: sums, moments, survivors */
#include "convert.h"        /* rows of numbers from one format to another */
#include "packed.h"         /* quantized weights repacked, for repeated reading */
#include "matmul.h"         /* matrix-vector and matrix-matrix: naive, blocked, packed */
#include "kernels.h"        /* choose the instruction set that computes */

#endif
