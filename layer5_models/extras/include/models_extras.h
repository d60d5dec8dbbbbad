/* models_extras.h - the extras of layer 5, in reading order: */
#ifndef STRATA_MODELS_EXTRAS_H
#define STRATA_MODELS_EXTRAS_H

#include "models.h"
#include "linalg_extras.h"
#include "tensor_extras.h"

#include "families.h"         /* families beyond plain decoders */
#include "draft_head.h"       /* predicting the token after the next */
#include "layer_skip.h"       /* a model without some of its blocks, as its own draft model */
#include "tokenizers.h"       /* more kinds of tokenizers, and other uses */
#include "template.h"         /* chat templates (Jinja) */
#include "chat.h"             /* a conversation as one text */
#include "adapter.h"          /* low-rank corrections to a model (LoRA) */
#include "picture.h"          /* images and their patches */
#include "vision.h"           /* images as rows that a model reads */
#include "layers_elsewhere.h" /* layers on other machines */
#include "session_probe.h"    /* observing and changing a forward pass */
#include "pooling.h"          /* embeddings: one vector per text */
#include "rerank.h"           /* how well a document answers a query */
#include "converter.h"        /* published models as GGUF */
#include "train_runs.h"       /* long training runs: checkpoints, logs, fine-tuning */
#include "train_parts.h"      /* one batch on several machines */
#include "worlds.h"           /* Tiny World, and one with a long tail */
#include "world_check.h"      /* is a text in Tiny World's language? */
#include "train_lora.h"       /* training such corrections */
#include "train_families.h"   /* training other models than a llama */
#include "quant_preset.h"     /* which number format each matrix of a quantized model gets */

#endif
