/* text_head.h - what a model makes of a whole text, where it was trained for that: a vector or
 * scores.
 *
 *     the rows of its tokens --pooling--> one row --dense--> its vector
 *                                             +--hidden--> tanh or GELU --norm--> scores, one a label
 *
 * pooling.h runs it.
 *
 * Invariant: without the tensors that rank, there are no labels. */
#ifndef STRATA_TEXT_HEAD_H
#define STRATA_TEXT_HEAD_H

#include "transformer.h"

/* How the rows of a text's tokens become one; numbered as GGUF files do it (pooling_type). */
typedef enum Pooling {
    POOLING_NONE,
    POOLING_MEAN,
    POOLING_CLS,
    POOLING_LAST,
    POOLING_RANK /* one row, of which the head makes scores */
} Pooling;

typedef struct TextHead {
    Pooling pooling; /* as the file says */
    Linear dense[2]; /* of a vector, one after the other; or none */
    Linear hidden;   /* (dim, dim), then tanh or GELU, then a norm; or none */
    Norm norm;       /* or none */
    Linear scores;   /* (labels, dim); or `hidden` is (labels, dim), and they go through tanh */
    size_t labels;   /* 0: it scores nothing */
    Pooling rank_row; /* of which row: mean, cls or last */
    bool gelu;        /* or tanh */
    bool softmax;     /* scores are shares that sum to 1 */
} TextHead;

#endif
