/* mixer_short_conv.h - a short convolution between two gates: most layers of LFM 2, where a
 * token needs only its neighbours.
 *
 *     x --> in --+--> B --+
 *                +--> u --*--> conv --+
 *                +--> C --------------*--> out
 *
 * State (state.h): the convolution's, the last taps - 1 rows of B * u.
 *
 * Invariant: a token's output depends only on its own sequence, to the bit.
 * Source   Liquid AI 2025, arXiv:2511.23404 (LFM2), sec. 2; Poli et al. 2023,
 * arXiv:2302.10866. */
#ifndef STRATA_MIXER_SHORT_CONV_H
#define STRATA_MIXER_SHORT_CONV_H

#include "short_conv.h"

typedef struct ShortConvMixer {
    Linear in;  /* (3 dim, dim): B, C, u */
    Linear out; /* (dim, dim) */
    ShortConv conv;
} ShortConvMixer;

/* Working memory for up to `rows` tokens. */
typedef struct ShortConvRun {
    float *in;     /* (rows, 3 dim) */
    float *x, *y;  /* (rows, dim) before and after the convolution */
    void *scratch; /* for the products */
} ShortConvRun;

/* For rows of dim numbers; 0: no block has this mixer. */
void short_conv_run_init(ShortConvRun *run, size_t rows, size_t dim, Arena *arena);

/* out (count, dim) = the mixer for each row of x (count, dim); updates the states of
 * `layer`. */
void short_conv_forward(Pool *pool, const ShortConvMixer *mixer, ShortConvRun *run,
                        const KvCache *kv, size_t layer, const Batch *batch, const float *x,
                        float *out);

#endif
