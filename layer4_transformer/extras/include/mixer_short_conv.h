/* mixer_short_conv.h - a short convolution between two gates as a part of a block: what LFM 2 has
 * in most of its layers, where a token needs its neighbours and nothing else.
 *
 *     x --> in --+--> B --+
 *                +--> u --*--> conv --+
 *                +--> C --------------*--> out
 *
 * Memory (state.h): the convolution's state, the last taps - 1 rows of B * u.
 *
 * Invariant: what a token gets depends on its own sequence alone, to the bit.
 * Source   Liquid AI 2025, arXiv:2511.23404 (LFM2), sec. 2; Poli et al. 2023, arXiv:2302.10866. */
#ifndef STRATA_MIXER_SHORT_CONV_H
#define STRATA_MIXER_SHORT_CONV_H

#include "short_conv.h"

typedef struct ShortConvMixer {
    Linear in;  /* (3 dim, dim): B, C, u */
    Linear out; /* (dim, dim) */
    ShortConv conv;
} ShortConvMixer;

/* Working memory for up to so many tokens. */
typedef struct ShortConvRun {
    float *in;     /* (rows, 3 dim) */
    float *x, *y;  /* (rows, dim) before the convolution and behind it */
    void *scratch; /* of the products */
} ShortConvRun;

/* For rows of dim numbers; 0: no block has such a mixer. */
void short_conv_run_init(ShortConvRun *run, size_t rows, size_t dim, Arena *arena);

/* out (count, dim) = the mixer for each row of x (count, dim); the states of layer `layer` move on. */
void short_conv_forward(Pool *pool, const ShortConvMixer *mixer, ShortConvRun *run,
                        const KvCache *kv, size_t layer, const Batch *batch, const float *x,
                        float *out);

#endif
