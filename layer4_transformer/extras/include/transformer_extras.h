/* transformer_extras.h - what hangs on the core of layer 4; in reading order: */
#ifndef STRATA_TRANSFORMER_EXTRAS_H
#define STRATA_TRANSFORMER_EXTRAS_H

#include "transformer.h"

#include "shift.h"            /* a text longer than its context: old positions are cut out */
#include "moe.h"              /* a mixture of experts: a few of many networks for each token */
#include "mixer_cross.h"      /* attention to another text */
#include "indexer.h"          /* which positions are worth a look */
#include "mixer_mla.h"        /* attention whose keys and values share one short row */
#include "short_conv.h"       /* a token mixed with its nearest neighbours */
#include "mixer_mamba.h"      /* state-space models: a memory of fixed size */
#include "mixer_delta.h"      /* linear attention that corrects its memory */
#include "delta_chunk.h"      /* ... many tokens at once, by products of matrices */
#include "mixer_rwkv.h"       /* ... and where the token says what is corrected: RWKV 7 */
#include "mixer_short_conv.h" /* a short convolution and two gates, and nothing else */
#include "altup.h"            /* a stream of several parts, of which a block computes one */
#include "laurel.h"           /* a short way beside attention */
#include "layer_input.h"      /* every layer looks the token up again */
#include "join.h"         /* a token and what was known before it: where a draft head begins */
#include "block_extras.h" /* all of these as parts and wirings of a block */
#include "delta_train.h"  /* the delta rule for whole sequences, and its gradients */
#include "short_conv_train.h" /* ... and the convolution before it */
#include "train_delta.h"      /* a delta net in place of attention, for training */
#include "delta_train.h"      /* the delta rule for whole sequences, and its gradients */
#include "short_conv_train.h" /* ... and the convolution before it */
#include "train_delta.h"      /* a delta net in place of attention, for training */

#endif
