/* generate.h - the loop: feed, choose, append (step.c), until something says stop.
 *
 * Invariant: the same model, prompt, chain and seed give the same tokens. */
#ifndef STRATA_GENERATE_H
#define STRATA_GENERATE_H

#include "engine.h"

/* Read the prompt into a sequence of the session and continue it: an engine with one text.
 *
 *   tokens   the prompt on the way in; generated tokens are appended
 *   result   what the text has counted, also when it failed; zeros where it never began
 *
 * Fails before it reads anything when the prompt is empty or longer than the context or the
 * options do not go together, later when the logits are no numbers or a stage leaves no token:
 * with the fault of the text.  Tutorial layer6/loop.html */
bool generate(Session *session, TokenList *tokens, const GenerateOptions *options,
              GenerateResult *result, Fault *fault);

/* The prompt fits the context, unless the text may be longer than that, and is not empty. */
bool generate_check_prompt(const Session *session, const TokenList *tokens, bool longer,
                           Fault *fault);

#endif
