/* text_head.h - a model's output for a whole text: a vector or scores.
 *
 *     the rows of its tokens --pooling--> one row --dense--> its vector +--hidden--> tanh or
 *     GELU --norm--> scores, one a label
 *
 * pooling.h runs it.
 *
 * Invariant: without the scoring tensors there are no labels
 * [models_that_rank_nothing_say_so]. */
#ifndef STRATA_TEXT_HEAD_H
#define STRATA_TEXT_HEAD_H

#include "transformer.h"

/* How the rows of a text's tokens become one; numbers as in GGUF files (pooling_type). */
typedef enum Pooling {
    POOLING_NONE,
    POOLING_MEAN,
    POOLING_CLS,
    POOLING_LAST,
    POOLING_RANK /* one row, which the head scores */
} Pooling;

typedef struct TextHead {
    Pooling pooling;  /* as the file says */
    Linear dense[2];  /* applied one after the other; or none */
    Linear hidden;    /* (dim, dim), then tanh or GELU, then a norm; or none */
    Norm norm;        /* or none */
    Linear scores;    /* (labels, dim); or `hidden` is (labels, dim), followed by tanh */
    size_t labels;    /* 0: no scores */
    Pooling rank_row; /* which row is scored: mean, cls or last */
    bool gelu;        /* else tanh */
    bool softmax;     /* scores go through a softmax */
} TextHead;

#endif
