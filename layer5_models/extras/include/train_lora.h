/* train_lora.h - learning an adapter (adapter.h) beside weights that stay as they are. */
#ifndef STRATA_TRAIN_LORA_H
#define STRATA_TRAIN_LORA_H

#include "train.h"

/* Learn an adapter (adapter.h) of this rank instead: two thin matrices beside every matrix of
 * the blocks, and the weights stay as trainer_begin_from left them.  Then every step is a
 * trainer_step_lora.
 *
 * Fails when the rank is more than the model's width, and when memory is short. */
bool trainer_begin_lora(Trainer *trainer, size_t rank, Fault *fault);
TrainStep trainer_step_lora(Trainer *trainer);
size_t trainer_lora_parameters(const Trainer *trainer); /* numbers to learn */

/* Write the adapter as a GGUF file. */
bool trainer_export_lora(const Trainer *trainer, const char *name, const char *path,
                         Fault *fault);

#endif
