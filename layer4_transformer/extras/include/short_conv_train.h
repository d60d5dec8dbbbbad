/* short_conv_train.h - a short convolution over whole sequences, and its gradients: the
 * training form.
 *
 *     y[t] = w0 x[t-3] + w1 x[t-2] + w2 x[t-1] + w3 x[t]          each channel; taps = 4
 *     dx[t] = w3 dy[t] + w2 dy[t+1] + w1 dy[t+2] + w0 dy[t+3]
 *     dw0 = sum over t of dy[t] x[t-3]  ...
 *
 * No activation; each sequence starts from zeros.
 *
 * Invariant: one thread sums each gradient, in a fixed order [threads_change_no_bit]. */
#ifndef STRATA_SHORT_CONV_TRAIN_H
#define STRATA_SHORT_CONV_TRAIN_H

#include "attention_train.h"

typedef struct ConvShape {
    size_t channels, taps;
} ConvShape;

/* y (n, channels) from x (n, channels) and w (channels, taps); the last tap is the token's
 * own. */
void conv_sequences(Pool *pool, ConvShape shape, Sequences sequences, const float *w,
                    const float *x, float *y);

/* dx (n, channels) is written, dw (channels, taps) is added to. */
void conv_backward(Pool *pool, ConvShape shape, Sequences sequences, const float *w,
                   const float *x, const float *dy, float *dx, float *dw);

#endif
