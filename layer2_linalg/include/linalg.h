/* linalg.h - layer 2: from a dot product to a matrix product, in every number format.
 *
 * In reading order.  The sources tell the scalar story under the same names; the fast siblings
 * are in src/avx2, extras/avx512, extras/neon and extras/wasm, and must give what the scalar
 * versions give.  The files named *_template.h are loops that all instruction sets share and
 * that differ only in their registers, which a sibling defines before it includes one: dot
 * (tiles of dot products), strips (weighted sums), bytes (weighted sums of bytes), strip_rows
 * (recurrences), exp, unpack (packed weights to panels), packed_matvec (packed weights times
 * one input), vnni (panels). */
#ifndef STRATA_LINALG_H
#define STRATA_LINALG_H

#include "dot.h"    /* six lines that are most of a language model */
#include "vector.h" /* axpy, weighted sum, sum, max, mask, exp: the other loops over vectors */
#include "weighted_bytes.h" /* weighted sums of bytes, in whole numbers */
#include "hadamard.h"       /* a rotation that spreads one large number over all */
#include "recurrence.h"     /* a step of a linear recurrence: what state-space models do */
#include "scan.h"           /* one pass over a row of logits: sums, moments, survivors */
#include "convert.h"        /* rows of numbers from one format to another */
#include "packed.h"         /* quantized weights repacked, to be read many times */
#include "matmul.h"         /* matrix-vector and matrix-matrix: naive, blocked, packed */
#include "kernels.h"        /* which instruction set computes */
#include "peak.h"           /* how fast this machine could be: the roof above every kernel */

#endif
