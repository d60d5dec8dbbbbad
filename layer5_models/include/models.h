/* models.h - layer 5: model files, tokenizers, model families, training.
 *
 * In reading order: */
#ifndef STRATA_MODELS_H
#define STRATA_MODELS_H

#include "tokenizer.h" /* text to token ids and back */
#include "recipe.h"    /* the table of model families */
#include "model.h"     /* a file's tensors as a model, every shape checked */
#include "decoder.h"   /* the one forward pass */
#include "world.h"     /* Tiny World: the language the model in the box speaks */
#include "train.h"     /* training a small model */

#endif
