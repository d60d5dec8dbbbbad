/* linalg.h - layer 2: from a dot product to a matrix product, in every number format.
 *
 * In reading order: */
#ifndef STRATA_LINALG_H
#define STRATA_LINALG_H

#include "dot.h"       /* six lines that are most of a language model */
#include "vector.h"    /* axpy, weighted sum, sum, max, exp: the other loops over vectors */
#include "scan.h"      /* one pass over a row of logits: sums, moments, survivors */
#include "blocks.h"    /* how the quantized formats lie in memory */
#include "quantized.h" /* a format is how to read its levels */
#include "convert.h"   /* rows of numbers from one format to another */
#include "panel.h"     /* products of quantized weights, in whole numbers */
#include "packed.h"    /* the same weights rearranged, to be read many times */
#include "matmul.h"    /* matrix-vector and matrix-matrix: naive, blocked, packed */
#include "cpu.h"       /* what this machine can do */
#include "kernels.h"   /* one table of fast versions for each instruction set, and the choice */
#include "peak.h"      /* how fast this machine could be: the roof above every kernel */

#endif
