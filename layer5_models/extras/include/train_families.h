/* train_families.h - families that strata trains besides the llama: TrainConfig.family. */
#ifndef STRATA_TRAIN_FAMILIES_H
#define STRATA_TRAIN_FAMILIES_H

#include "train.h"

/* A Qwen 3.5 without its layers of attention: a Gated DeltaNet in each block (train_delta.h). */
extern const struct TrainFamily train_delta_family;

#endif
