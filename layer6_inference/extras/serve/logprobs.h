/* logprobs.h - tokens and their ln p, in both of OpenAI's shapes.
 *
 *     chat          {"content": [{"token", "logprob", "bytes", "top_logprobs": [...]}, ...]}
 *     completions   {"tokens": [], "token_logprobs": [], "top_logprobs": [{}], "text_offset":
 *     []}
 *
 * Invariant: they are the model's, before the chain; -infinity is written as -9999. */
#ifndef STRATA_LOGPROBS_H
#define STRATA_LOGPROBS_H

#include "text_job.h"

/* Notes begin .. end-1 of an answer; with `prompt`, its prompt's notes come first. */
void logprobs_write(FILE *out, const TextJob *text, const Answer *answer, bool prompt,
                    size_t begin, size_t end);

#endif
