/* layer_input.h - per-layer embeddings: every layer looks the token up again in its own table.
 *
 * An ordinary model adds a token's embedding once, and its last layer has to find what is left
 * of it.  Here a second table has a short row for each token and layer.  Combined with a map of
 * the embedding, it gives every layer an input:
 *
 *     p = (norm(map x0 / sqrt(dim)) + sqrt(width) table[token]) / sqrt(2)      (layers, width)
 *
 *     token --> embedding --> x0 --> layer 0 --> layer 1 --> layer 2 --> ...
 *         |                   |        ^            ^            ^
 *         +--> table --> + <--map      |            |            |
 *                        +--> p:     p[0]         p[1]         p[2]
 *
 * At its end a block adds its input, gated by the stream:
 *
 *     x += norm'(out(act(gate x) * p[layer]))
 *
 * The table is large, but a token reads one row of it, so it may stay on disk; a wider model
 * would read all of its weights for every token.
 *
 * Invariant: a token's inputs depend only on the token and its own row of the stream
 * [neighbours_change_no_bit].
 * Source   Google 2025, Gemma 3n, model overview ("per-layer embeddings") and reference code.
 * Tutorial docs/layer4/layer-inputs.md */
#ifndef STRATA_LAYER_INPUT_H
#define STRATA_LAYER_INPUT_H

#include "batch.h"

/* Of a model: the inputs of all layers. */
typedef struct LayerTable {
    Tensor table; /* (vocab, layers * width); data NULL: none */
    Linear map;   /* (layers * width, dim) */
    Norm norm;    /* over the width numbers of each layer */
    size_t layers, width;
} LayerTable;

/* Of a block. */
typedef struct LayerInput {
    Activation act;
    Linear gate; /* (width, dim); w.data NULL: none */
    Linear out;  /* (dim, width) */
    Norm norm;   /* of dim numbers */
} LayerInput;

/* Working memory for up to `rows` tokens. */
typedef struct LayerInputRun {
    float *all;   /* (rows, layers * width) the inputs */
    size_t width; /* layers * width */
    float *row;   /* (rows, layers * width) of the table */
    float *gate;  /* (rows, width) */
    void *scratch;
} LayerInputRun;

/* width 0: the model has none. */
typedef struct LayerInputSizes {
    size_t dim, layers, width;
} LayerInputSizes;

void layer_input_run_init(LayerInputRun *run, size_t rows, const LayerInputSizes *sizes,
                          Arena *arena);

/* Compute the inputs of all layers for a batch, into run->all.
 *
 *   x   (count, dim) the embeddings, scaled as the first block reads them */
void layer_inputs(Pool *pool, const LayerTable *table, LayerInputRun *run, const Batch *batch,
                  const float *x);

/* out (n, dim) = norm'(...) above for each row of x (n, dim). */
void layer_input_forward(Pool *pool, const LayerInput *input, LayerInputRun *run, size_t layer,
                         const float *x, size_t n, float *out);

#endif
