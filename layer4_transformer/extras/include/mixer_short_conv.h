/* mixer_short_conv.h - a short convolution between two gates: most layers of LFM 2, where a
 * token needs only its neighbours.
 *
 *     x --> in --+--> B --+
 *                +--> u --*--> conv --+
 *                +--> C --------------*--> out
 *
 * State (state.h): the convolution's, the last taps - 1 rows of B * u.
 *
 * Invariant: a token's output depends only on its own sequence, to the bit
 * [threads_and_chunks_change_no_bit].
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

#endif
