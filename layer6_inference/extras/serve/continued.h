/* continued.h - an answer that begins with given tokens: a request's field answer_tokens.
 *
 *     prompt | answer_tokens | what is generated
 *            '- the stages count the answer from here
 *
 * Invariant: with the first n tokens of an answer, and its chain and seed, the rest of that
 * answer is generated. */
#ifndef STRATA_CONTINUED_H
#define STRATA_CONTINUED_H

#include "text_job.h"

/* Append the field's tokens to every prompt.
 *
 * Fails when one is not in the vocabulary. */
bool continued_read(const RequestFields *fields, const Server *server, Prompts *prompts,
                    HttpError *error);

/* The last *count tokens of the prompt belong to the answer; 0: none do.
 *
 *   count   borrowed until the answer is over */
void with_continued(GenerateOptions *options, const size_t *count);

/* Fails for stages that measure each token as it is drawn, for a negative prompt, which would
 * lack these tokens, and for models that read one text and write another. */
bool continued_check(const RequestFields *fields, const Server *server, const Chain *chain,
                     HttpError *error);

#endif
