/* transformer.h - layer 4: attention, feed-forward, block.
 *
 * In reading order: */
#ifndef STRATA_TRANSFORMER_H
#define STRATA_TRANSFORMER_H

#include "mask.h"             /* which earlier tokens a token may look at */
#include "attention.h"        /* attention as the textbook writes it, and its gradients */
#include "block_train.h"      /* one block forward and backward */

#endif
