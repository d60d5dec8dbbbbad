/* short_conv.h - a short causal convolution: each channel mixed with the same channel of the
 * last few tokens.
 *
 *     x[t-3] --w0--+
 *     x[t-2] --w1--+
 *     x[t-1] --w2--+--> out[t]          taps = 4: the state is the last three inputs
 *     x[t]   --w3--+
 *
 * Recurrent layers begin with one, because a state blurs positions and neighbours show them.
 *
 * Invariant: a token's output depends only on its own sequence, to the bit
 * [pieces_change_no_bit].
 * Source   Gu & Dao 2023, arXiv:2312.00752, sec. 3.4; Poli et al. 2023, arXiv:2302.10866
 *          (Hyena). */
#ifndef STRATA_SHORT_CONV_H
#define STRATA_SHORT_CONV_H

#include "batch.h"
#include "state.h"

typedef struct ShortConv {
    const float *w;    /* (channels, taps); the last tap is the token's own */
    const float *bias; /* (channels); NULL: none */
    size_t channels, taps;
    bool silu; /* apply silu to the output */
    size_t at; /* offset of its state in the layer's state */
} ShortConv;

/* Floats of its state: (channels, taps - 1), the last inputs, oldest first. */
size_t short_conv_state(const ShortConv *conv);

/* One token, channels begin .. end - 1.
 *
 *   out      (channels)   written
 *   before   the state, at first all 0
 *   after    the new state; may be before */
void short_conv_step(const ShortConv *conv, const float *before, float *after, const float *x,
                     float *out, size_t begin, size_t end);

/* All tokens of a batch, in order within each sequence.
 *
 *   x     row i starts at x + i * x_step
 *   out   (count, channels) */
void short_conv_rows(Pool *pool, const ShortConv *conv, const KvCache *kv, size_t layer,
                     const Batch *batch, const float *x, size_t x_step, float *out);

#endif
