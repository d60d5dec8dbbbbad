/* block_train_delta.h - a delta net in place of attention, forward and backward; see block_train.h. */
#ifndef STRATA_BLOCK_TRAIN_DELTA_H
#define STRATA_BLOCK_TRAIN_DELTA_H

#include "block_train.h"

/* saved->middle (n, dim) = the mixer for saved->normed. */
void train_delta(const TrainRun *run, const TrainDelta *w, TrainSaved *saved);

/* Back through x + mixer(norm(x)): dx is by the sum, and becomes that by x. */
void train_delta_backward(const TrainRun *run, const TrainBlock *block, TrainBlock *gradients,
                          const TrainSaved *saved, float *dx);

#endif
