/* transformer.h - layer 4: attention, feed-forward, block.
 *
 * In reading order: */
#ifndef STRATA_TRANSFORMER_H
#define STRATA_TRANSFORMER_H

#include "mask.h"             /* which positions a token may attend to */
#include "relative.h"         /* a learned bias by distance */
#include "attention.h"        /* attention as the textbook writes it: three loops */
#include "batch.h"            /* the tokens of one forward pass */
#include "page_pool.h"        /* pages with reference counts */
#include "kv_format.h"        /* number formats of keys and values */
#include "kv.h"               /* the KV cache: keys and values in pages */
#include "state.h"            /* ... and states of recurrent layers */
#include "prefix.h"           /* the prefix cache */
#include "attention_online.h" /* attention over the cache, page by page */
#include "probe.h"            /* observing a forward pass, and changing it */
#include "ffn.h"              /* the feed-forward network: plain, gated */
#include "mixer_attention.h"  /* attention as a mixer */
#include "block.h"            /* one block: mixer, network, residual stream */
#include "attention_train.h"  /* attention for training, with gradients */
#include "block_train.h"      /* one block forward and backward */

#endif
