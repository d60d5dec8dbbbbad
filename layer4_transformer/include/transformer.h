/* transformer.h - layer 4: attention, feed-forward, block.
 *
 * In reading order: */
#ifndef STRATA_TRANSFORMER_H
#define STRATA_TRANSFORMER_H

#include "mask.h"             /* which earlier tokens a token may look at */
#include "relative.h"         /* a learned number for each distance between query and key */
#include "attention.h"        /* attention as the textbook writes it: three loops */
#include "page_pool.h"        /* pages of memory that several sequences share */
#include "kv_format.h"        /* number formats of keys and values: four bytes to half a byte */
#include "kv.h"               /* the memory of a sequence: keys and values in pages */
#include "state.h"            /* ... and states of recurrent layers, with snapshots */
#include "prefix.h"           /* the prefix cache: texts that begin alike are read once */
#include "attention_online.h" /* the same attention, one page of memory at a time */
#include "batch.h"            /* the tokens of one forward pass */
#include "probe.h"            /* observing a forward pass, and changing it */
#include "ffn.h"              /* feed-forward: plain, gated */
#include "mixer_attention.h"  /* attention as a part of a block */
#include "block.h"            /* attention and feed-forward around the residual stream */
#include "attention_train.h"  /* attention of whole sequences, and its gradients */
#include "block_train.h"      /* one block forward and backward, for training */

#endif
