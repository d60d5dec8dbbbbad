/* guidance.h - second logits for the stages that compare: contrast asks a weaker model, cfg a
 * second text.
 *
 *     contrast     the same text, read by an amateur
 *     cfg          another text instead of the prompt, then the same answer, read by the model itself
 *
 * Invariant: what the second reader knows of a text is what it would know of it alone. */
#ifndef STRATA_GUIDANCE_H
#define STRATA_GUIDANCE_H

#include "generate.h"

/* A weaker model with the same vocabulary reads the text, too. */
void with_amateur(GenerateOptions *options, Session *amateur);

/* A second sequence of the session reads these tokens instead of the prompt. */
void with_negative(GenerateOptions *options, const TokenList *negative);

#endif
