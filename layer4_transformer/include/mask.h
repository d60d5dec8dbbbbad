/* mask.h - which tokens of its text a token may look at.
 *
 *     causal           window of 3        chunks of 3        both ways          both ways, window of 3
 *     # . . . .        # . . . .          # . . . .          # # # # #          # # . . .
 *     # # . . .        # # . . .          # # . . .          # # # # #          # # # . .      row: the query,
 *     # # # . .        # # # . .          # # # . .          # # # # #          . # # # .      column: the key
 *     # # # # .        . # # # .          . . . # .          # # # # #          . . # # #
 *     # # # # #        . . # # #          . . . # #          # # # # #          . . . # #
 *
 * Invariant: what a query sees is one unbroken range of positions that is never empty. */
#ifndef STRATA_MASK_H
#define STRATA_MASK_H

#include "nn.h"

typedef struct Mask {
    bool causal;
    /* keys with query - key < window are seen, both ways those at most window / 2 away; 0: no limit */
    size_t window;
    /* only keys of the query's own chunk of so many; 0: no chunks; causal masks only */
    size_t chunk;
} Mask;

typedef struct Range {
    size_t begin, end; /* positions begin .. end-1 */
} Range;

/* The positions that the token at `query` sees in a sequence of `length` tokens.  With a window and chunks it sees what
 * both let through.
 *
 * Needs query < length.
 * Source   causal: Vaswani et al. 2017, arXiv:1706.03762; window: Beltagy et al. 2020, arXiv:2004.05150;
 *          chunks: Llama 4 (Meta 2025). */
Range mask_range(Mask mask, size_t query, size_t length);

#endif
