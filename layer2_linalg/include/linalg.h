/* linalg.h - layer 2: from a dot product to a matrix product, in every number format.
 *
 * In reading order.  The sources tell the scalar story under the same names; src/avx2, extras/avx512 and extras/neon hold the
 * fast siblings, which must give what the scalar versions give.  Six files of src/simd are templates: loops that all
 * instruction sets share and that differ only in their registers.  A sibling defines these and includes one: dot_template.h
 * (tiles of dot products), strips_template.h (weighted sums), exp_template.h, unpack_template.h (packed weights to panels),
 * packed_matvec_template.h (packed weights times one input) and vnni_template.h (panels, in shapes). */
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
