/* models_extras.h - what hangs on the core of layer 5; in reading order: */
#ifndef STRATA_MODELS_EXTRAS_H
#define STRATA_MODELS_EXTRAS_H

#include "models.h"
#include "tensor_extras.h"

#include "families.h"       /* what families need beyond plain decoders */
#include "draft_head.h"     /* a model's own guess at the token after the next */
#include "tokenizers.h"     /* other kinds of tokenizers, other uses of them */
#include "template.h"       /* chat templates, a small language */
#include "chat.h"           /* a conversation as one text */
#include "adapter.h"        /* small corrections to a model, from files of their own */
#include "picture.h"        /* pixels, and patches of them */
#include "vision.h"         /* pictures as rows that a model reads */
#include "session_probe.h"  /* looking into a forward pass, and changing it */
#include "pooling.h"        /* one vector for a text */
#include "rerank.h"         /* how well a document answers a query */
#include "converter.h"      /* models as they are published, rewritten */
#include "train_runs.h"     /* training that begins with a model, that is stopped and resumed */
#include "world_check.h"    /* is a text one of Tiny World's? */
#include "train_lora.h"     /* learning such corrections */
#include "train_families.h" /* what is trained besides a llama */
#include "quant_preset.h"   /* which number format each matrix of a quantized model gets */

#endif
