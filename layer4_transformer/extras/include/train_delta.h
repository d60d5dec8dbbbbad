/* train_delta.h - a Gated DeltaNet in place of attention, forward and backward (block_train.h): a Qwen 3.5
 * without its layers of attention.
 *
 *     norm --> q k v --> conv, silu, length 1 --> the state is updated --> norm --> * --> out
 *          --> z --------------------------------------------------------> silu ---+
 *
 * Of a TrainShape kv_heads are the heads of keys; head h of values goes with head h % kv_heads.
 *
 * Invariant: as in block_train.h. */
#ifndef STRATA_TRAIN_DELTA_H
#define STRATA_TRAIN_DELTA_H

#include "block_train.h"
#include "delta_train.h"

/* TrainBlock.mixer: the weights, or their gradients. */
typedef struct TrainDelta {
    float *qkv, *taps;   /* (channels, dim): q, k, v; (channels, taps) of their convolution */
    float *alpha, *beta; /* (heads, dim) for the decay and for what is written */
    float *rate, *bias;  /* (heads) decay = exp(-exp(rate) softplus(alpha + bias)) */
    float *gate, *norm;  /* (heads*hd, dim), (hd) */
    float *out;          /* (dim, heads*hd) */
} TrainDelta;

/* TrainSaved.mixer; n rows each. */
typedef struct TrainDeltaSaved {
    float *in, *conv; /* (channels) before and after the convolution */
    float *z, *asked; /* (heads*hd) the gate before silu; what was read from the state */
    float *alpha;     /* (heads) as its map returns it */
    DeltaRows rows;   /* q, k, v, beta and rate */
} TrainDeltaSaved;

extern const TrainMixer train_delta_mixer;

#endif
