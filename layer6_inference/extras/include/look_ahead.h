/* look_ahead.h - hidden states of a text, and of what might come next: for contrastive search.
 *
 * Each token that might come is a fork of the text with that token more; all of them are one
 * batch, as far as the session has unused sequences.
 *
 * Invariant: the session's memory of the text and its logits are the same before and after a
 * look ahead. */
#ifndef STRATA_LOOK_AHEAD_H
#define STRATA_LOOK_AHEAD_H

#include "generate.h"

/* The chain of these options may look ahead; where no stage of it does, nothing happens. */
void with_look_ahead(GenerateOptions *options);

/* What the Step of such a text looks ahead with: similarity[i] = the largest cosine between the
 * state of tokens[i], were it next, and those of the text.  False when the context is full. */
bool look_ahead(void *context, const int32_t *tokens, size_t n, float *similarity);

#endif
