/* models.h - layer 5: files, words, families of models, training.
 *
 * In reading order: */
#ifndef STRATA_MODELS_H
#define STRATA_MODELS_H

#include "tokenizer.h"    /* text to token ids and back */
#include "template.h"     /* chat templates, a small language */
#include "chat.h"         /* a conversation as one text */
#include "recipe.h"       /* the table of model families */
#include "model.h"        /* a file's tensors as a model, every shape checked */
#include "adapter.h"      /* small corrections to a model, from files of their own */
#include "decoder.h"      /* the one forward pass */
#include "draft_head.h"   /* a model's own guess at the token after the next */
#include "picture.h"      /* pixels, and patches of them */
#include "vision.h"       /* pictures as rows that a model reads */
#include "pooling.h"      /* one vector for a text */
#include "rerank.h"       /* how well a document answers a query */
#include "converter.h"    /* models as they are published, rewritten */
#include "quant_preset.h" /* which number format each matrix of a quantized model gets */
#include "world.h"        /* Tiny World: the language the model in the box speaks */
#include "train.h"        /* teaching a small model */

#endif
