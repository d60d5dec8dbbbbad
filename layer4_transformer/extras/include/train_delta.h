/* train_delta.h - a Gated DeltaNet that replaces attention, forward and backward
 * (block_train.h): a Qwen 3.5 without attention layers.
 *
 *     norm --> q k v --> conv, silu, length 1 --> state update, read --> norm --> * --> out
 *          --> z -----------------------------------------------------> silu -----+
 *
 * kv_heads of a TrainShape are the key heads; value head h uses key head h % kv_heads.
 *
 * Invariant: as in block_train.h [threads_change_no_bit]. */
#ifndef STRATA_TRAIN_DELTA_H
#define STRATA_TRAIN_DELTA_H

#include "block_train.h"
#include "delta_train.h"

/* TrainBlock.mixer: the weights, or their gradients. */
typedef struct TrainDelta {
    float *qkv, *taps;   /* (channels, dim): q, k, v; (channels, taps) of the convolution */
    float *alpha, *beta; /* (heads, dim) for the decay and for beta */
    float *rate, *bias;  /* (heads) decay = exp(-exp(rate) softplus(alpha + bias)) */
    float *gate, *norm;  /* (heads*hd, dim), (hd) */
    float *out;          /* (dim, heads*hd) */
} TrainDelta;

/* TrainSaved.mixer; n rows each. */
typedef struct TrainDeltaSaved {
    float *in, *conv; /* (channels) before and after the convolution */
    float *z, *read;  /* (heads*hd) the gate before silu; what S returned */
    float *alpha;     /* (heads) its map's output */
    DeltaRows rows;   /* q, k, v, beta and rate */
} TrainDeltaSaved;

extern const TrainMixer train_delta_mixer;

#endif
