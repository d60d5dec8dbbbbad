/* generate.h - the loop: feed, choose, append (step.c), until something says stop.
 *
 * Invariant: the same model, prompt, chain and seed give the same tokens
 * [the_loop_ends_for_a_reason]. */
#ifndef STRATA_GENERATE_H
#define STRATA_GENERATE_H

#include "engine.h"

/* Read the prompt into a sequence of the session and continue it: an engine with one text.
 *
 *   tokens   the prompt; generated tokens are appended
 *   result   valid even if the text failed; zeros if it never began
 *
 * Fails before reading anything when the prompt is empty or longer than the context or options
 * are incompatible; later when logits are NaN or a stage leaves no token.
 *
 * Tutorial layer6/loop.html */
bool generate(Session *session, TokenList *tokens, const GenerateOptions *options,
              GenerateResult *result, Fault *fault);

/* Fails when the prompt is empty, or too long for the context (unless `longer`). */
bool generate_check_prompt(const Session *session, const TokenList *tokens, bool longer,
                           Fault *fault);

#endif
