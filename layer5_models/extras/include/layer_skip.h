/* layer_skip.h - a model without some of its blocks, as a draft model for itself.
 *
 *     x --> block 0 --> block 1 --> block 2 --> block 3 --> head
 *     x --> block 0 ---------------> block 2 --> block 3 --> head      without block 1
 *
 * A block adds to the residual stream, so what is left can still be read by the next one.  The
 * skipping model has a session of its own: a kept block sees other inputs than in the whole
 * model, so its keys and values are others, too.
 *
 * Source   Zhang et al. 2023, arXiv:2309.08168 (Draft & Verify); Elhoushi et al. 2024,
 *          arXiv:2404.16710 (LayerSkip), where the model is also trained for it. */
#ifndef STRATA_LAYER_SKIP_H
#define STRATA_LAYER_SKIP_H

#include "families.h"

/* The model without the blocks that the text names: "3,5,7", or "40%" of its blocks, spread
 * evenly, never the first or the last.  Borrows all but its lists of blocks; open it after
 * model_pack, and close it.
 *
 * Fails when the text names no block, one that the model does not have, or all; and when later
 * blocks of this family read what earlier ones left elsewhere than in the residual stream. */
bool layer_skip_open(Model *skipping, const Model *model, const char *text, Fault *fault);
void layer_skip_close(Model *skipping);

#endif
