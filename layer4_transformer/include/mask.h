/* mask.h - which positions of its sequence a token may attend to.
 *
 *     causal         window of 3    chunks of 3    bidirectional  ... window of 3
 *     # . . . .      # . . . .      # . . . .      # # # # #      # # . . .
 *     # # . . .      # # . . .      # # . . .      # # # # #      # # # . .    row: the query,
 *     # # # . .      # # # . .      # # # . .      # # # # #      . # # # .    column: the key
 *     # # # # .      . # # # .      . . . # .      # # # # #      . . # # #
 *     # # # # #      . . # # #      . . . # #      # # # # #      . . . # #
 *
 * Invariant: the visible positions are one range that is never empty [masks_are_ranges]. */
#ifndef STRATA_MASK_H
#define STRATA_MASK_H

#include "nn.h"

typedef struct Mask {
    bool causal;
    /* causal: query - key < window; bidirectional: at most window / 2 apart; 0: no limit */
    size_t window;
    /* only keys in the query's own chunk of this length; 0: no chunks; causal masks only */
    size_t chunk;
} Mask;

typedef struct Range {
    size_t begin, end; /* begin .. end - 1 */
} Range;

/* The positions visible to the token at `query` in a sequence of `length` tokens; a window and
 * chunks both apply.
 *
 * Needs    query < length.
 * Source   causal: Vaswani et al. 2017, arXiv:1706.03762; window: Beltagy et al. 2020,
 *          arXiv:2004.05150; chunks: Llama 4 (Meta 2025). */
Range mask_range(Mask mask, size_t query, size_t length);

#endif
