/* transformer_extras.h - the extras of layer 4, in reading order: */
#ifndef STRATA_TRANSFORMER_EXTRAS_H
#define STRATA_TRANSFORMER_EXTRAS_H

#include "transformer.h"

#include "prefix_file.h"      /* kept prefixes in a file */
#include "shift.h"            /* context shift: cut old positions out of the cache */
#include "moe.h"              /* mixture of experts */
#include "mixer_cross.h"      /* cross attention */
#include "indexer.h"          /* sparse attention: an indexer chooses positions */
#include "mixer_mla.h"        /* latent attention */
#include "short_conv.h"       /* a short convolution */
#include "mixer_mamba.h"      /* state-space models */
#include "mixer_delta.h"      /* linear attention with the delta rule */
#include "delta_chunk.h"      /* ... many tokens at once, by matrix products */
#include "mixer_rwkv.h"       /* ... with a rate for each number of a key: RWKV 7 */
#include "mixer_rwkv6.h"      /* ... without it: RWKV 6 */
#include "mixer_short_conv.h" /* a short convolution between two gates */
#include "altup.h"            /* a stream of several parts, of which a block computes one */
#include "laurel.h"           /* a low-rank branch beside attention */
#include "layer_input.h"      /* per-layer embeddings */
#include "join.h"             /* the input of a draft head */
#include "block_extras.h"     /* all of these as mixers, networks and wirings of a block */
#include "delta_train.h"      /* the delta rule for training, with gradients */
#include "short_conv_train.h" /* ... and its short convolution */
#include "train_delta.h"      /* a delta net that replaces attention, for training */

#endif
