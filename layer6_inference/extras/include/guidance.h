/* guidance.h - second logits for stages that compare: contrast reads a weaker model's, cfg
 * those of another prompt.
 *
 *     contrast     the same text, evaluated by an amateur
 *     cfg          a negative prompt, then the same answer, evaluated by the model itself
 *
 * Invariant: the second reader sees exactly what it would see alone
 * [neighbours_change_nothing]. */
#ifndef STRATA_GUIDANCE_H
#define STRATA_GUIDANCE_H

#include "generate.h"

/* A weaker model with the same vocabulary also reads the text. */
void with_amateur(GenerateOptions *options, Session *amateur);

/* A second sequence of the session reads these tokens instead of the prompt. */
void with_negative(GenerateOptions *options, const TokenList *negative);

#endif
