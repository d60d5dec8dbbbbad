/* look_ahead.h - hidden states of a text and of possible next tokens: for contrastive search.
 *
 * Each candidate token is a fork of the text, and as many forks as the session has unused
 * sequences share a batch.
 *
 * Invariant: a look-ahead leaves the session's memory of the text and its logits unchanged
 * [looking_ahead_takes_the_room_there_is]. */
#ifndef STRATA_LOOK_AHEAD_H
#define STRATA_LOOK_AHEAD_H

#include "generate.h"

/* Lets the options' chain look ahead; no effect if no stage does. */
void with_look_ahead(GenerateOptions *options);

/* The Step's look-ahead: similarity[i] = the largest cosine between the hidden state of
 * tokens[i], if it came next, and those of the text.  False when the context is full. */
bool look_ahead(void *context, const int32_t *tokens, size_t n, float *similarity);

#endif
