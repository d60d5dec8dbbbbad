/* layer_input.h - per-layer embeddings: every layer looks a token up again, in a table of its own.
 *
 * An ordinary model puts a token's row on the stream once, and its last layer has to find what is left of
 * it.  Here a second table has a short row of each token for each layer; with a map of the first embedding
 * it makes one input for every layer, before the first one runs:
 *
 *     p = (norm(map x0 / sqrt(dim)) + sqrt(width) table[token]) / sqrt(2)        (layers, width)
 *
 *     token --> embedding --> x0 --> layer 0 --> layer 1 --> layer 2 --> ...
 *         |                   |        ^            ^            ^
 *         +--> table --> + <--map      |            |            |
 *                        +--> p:     p[0]         p[1]         p[2]
 *
 * At its end a block takes its part, as much of each number as a gate of the stream lets through:
 *
 *     y = norm'(out(act(gate x) * p[layer]))        which is added to x
 *
 * The table is large, but a token needs one row of it: it may stay on a disk, while a wider model would
 * read all of its weights for every token.
 *
 * Invariant: what a token gets depends on the token and its own row of the stream alone.
 * Source   Google 2025, Gemma 3n, model overview ("per-layer embeddings") and the reference code of its layers.
 * Tutorial docs/layer4/layer-inputs.md */
#ifndef STRATA_LAYER_INPUT_H
#define STRATA_LAYER_INPUT_H

#include "batch.h"

/* A model's: the inputs of all its layers. */
typedef struct LayerTable {
    Tensor table; /* (vocab, layers * width); data NULL: the model has none */
    Linear map;   /* (layers * width, dim) */
    Norm norm;    /* of the width numbers of each layer */
    size_t layers, width;
} LayerTable;

/* A block's. */
typedef struct LayerInput {
    Activation act;
    Linear gate; /* (width, dim); not there: w.data is NULL */
    Linear out;  /* (dim, width) */
    Norm norm;   /* of dim numbers */
} LayerInput;

/* Working memory for up to so many tokens. */
typedef struct LayerInputRun {
    float *all;   /* (rows, layers * width) of the batch: layer_inputs */
    size_t width; /* layers * width */
    float *row;   /* (rows, layers * width) of the table */
    float *gate;  /* (rows, width) */
    void *scratch;
} LayerInputRun;

/* How wide they are; 0: the model has none. */
typedef struct LayerInputSizes {
    size_t dim, layers, width;
} LayerInputSizes;

void layer_input_run_init(LayerInputRun *run, size_t rows, const LayerInputSizes *sizes,
                          Arena *arena);

/* The inputs of all layers for the tokens of a batch, into run->all.
 *
 *   x   (count, dim) their embeddings, scaled as they go into the first block */
void layer_inputs(Pool *pool, const LayerTable *table, LayerInputRun *run, const Batch *batch,
                  const float *x);

/* out (n, dim) = y above for each row of x (n, dim). */
void layer_input_forward(Pool *pool, const LayerInput *input, LayerInputRun *run, size_t layer,
                         const float *x, size_t n, float *out);

#endif
