/* origin.h - what a run began with; private to extras/train. */
#ifndef STRATA_TRAIN_ORIGIN_H
#define STRATA_TRAIN_ORIGIN_H

#include "train/trainer.h"

/* A hash of the corpus, the vocabulary and the initial model's weights; equal in a resumed
 * run. */
uint64_t train_origin(const Trainer *trainer);

#endif
