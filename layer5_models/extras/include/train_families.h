/* train_families.h - training other models than the llama in the box. */
#ifndef STRATA_TRAIN_FAMILIES_H
#define STRATA_TRAIN_FAMILIES_H

#include "train.h"

/* The other model in the box, a draft model for the first. */
TrainConfig train_config_draft(void);

/* For TrainConfig.family: a Qwen 3.5 without attention layers: a Gated DeltaNet in each block
 * (train_delta.h). */
extern const struct TrainFamily train_delta_family;

/* A diffusion model: for TrainConfig.hide, with shape.bidirectional. */
void train_hide_tokens(Trainer *trainer, uint64_t first_document);

#endif
