/* train_lora.h - training a LoRA (adapter.h) while the weights stay as they are. */
#ifndef STRATA_TRAIN_LORA_H
#define STRATA_TRAIN_LORA_H

#include "train.h"

/* Train an adapter of this rank: two thin matrices beside every matrix of the blocks; the
 * weights stay as trainer_begin_from set them.  Then call trainer_step_lora for every step.
 *
 * Fails when the rank is more than the model's width, or when memory is short. */
bool trainer_begin_lora(Trainer *trainer, size_t rank, Fault *fault);
TrainStep trainer_step_lora(Trainer *trainer);
size_t trainer_lora_parameters(const Trainer *trainer); /* number of learned parameters */

/* Write the adapter as a GGUF file. */
bool trainer_export_lora(const Trainer *trainer, const char *name, const char *path,
                         Fault *fault);

#endif
