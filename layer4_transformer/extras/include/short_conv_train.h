/* short_conv_train.h - a short convolution over whole sequences, and its gradients: the form to train with.
 *
 *     y[t] = w0 x[t-3] + w1 x[t-2] + w2 x[t-1] + w3 x[t]          each channel by itself; taps = 4
 *     dx[t] = w3 dy[t] + w2 dy[t+1] + w1 dy[t+2] + w0 dy[t+3]     what was mixed into later tokens hears from them
 *     dw0 = sum over t of dy[t] x[t-3]  ...
 *
 * Nothing is activated here, and a sequence knows nothing of the one before it.
 *
 * Invariant: gradients are summed by one thread in a fixed order. */
#ifndef STRATA_SHORT_CONV_TRAIN_H
#define STRATA_SHORT_CONV_TRAIN_H

#include "attention_train.h"

typedef struct ConvShape {
    size_t channels, taps;
} ConvShape;

/* y (n, channels) from x (n, channels) and w (channels, taps); the last tap is a token's own. */
void conv_sequences(Pool *pool, ConvShape shape, Sequences sequences, const float *w,
                    const float *x, float *y);

/* dx (n, channels) written, dw (channels, taps) added to. */
void conv_backward(Pool *pool, ConvShape shape, Sequences sequences, const float *w,
                   const float *x, const float *dy, float *dx, float *dw);

#endif
