/* transformer.h - layer 4: attention, feed-forward, block.
 *
 * In reading order: */
#ifndef STRATA_TRANSFORMER_H
#define STRATA_TRANSFORMER_H

#include "mask.h"      /* which earlier tokens a token may look at */
#include "relative.h"  /* a learned number for each distance between query and key */
#include "attention.h" /* attention as the textbook writes it: three loops */
#include "page_pool.h" /* pieces of memory that several sequences share */
#include "kv_format.h" /* in what they are kept: from four bytes a number to half a one */
#include "kv.h"        /* the memory of a sequence: keys and values in pages */
#include "state.h"  /* ... and the states of recurrent layers, with snapshots to go back to */
#include "prefix.h" /* texts that begin alike are read once */
#include "shift.h"  /* a text longer than its context: old positions are cut out */
#include "attention_online.h" /* the same attention, one page of memory at a time */
#include "batch.h"            /* the tokens of one forward pass */
#include "probe.h"            /* a look inside a forward pass, and a hand in it */
#include "ffn.h"              /* feed-forward: plain, gated */
#include "moe.h"              /* a mixture of experts: a few of many networks for each token */
#include "mixer_attention.h"  /* attention as a part of a block */
#include "mixer_cross.h"      /* ... to another text, which was read */
#include "indexer.h"          /* which positions are worth a look */
#include "mixer_mla.h"        /* ... whose keys and values share one short row */
#include "short_conv.h"       /* a token mixed with its nearest neighbours */
#include "mixer_mamba.h"      /* state-space models: a memory of fixed size */
#include "mixer_delta.h"      /* linear attention that corrects its memory */
#include "delta_chunk.h"      /* ... many tokens at once, by products of matrices */
#include "mixer_rwkv.h"       /* ... and where the token says what is corrected: RWKV 7 */
#include "mixer_short_conv.h" /* a short convolution and two gates, and nothing else */
#include "altup.h"            /* a stream of several parts, of which a block computes one */
#include "laurel.h"           /* a short way beside attention */
#include "layer_input.h"      /* every layer looks the token up again */
#include "join.h"  /* a token and what was known before it: where a draft head begins */
#include "block.h" /* attention and feed-forward around the residual stream */
#include "attention_train.h"  /* attention of whole sequences, and its gradients */
#include "delta_train.h"      /* the delta rule for whole sequences, and its gradients */
#include "short_conv_train.h" /* ... and the convolution before it */
#include "block_train.h"      /* one block forward and backward, for training */

#endif
