/* logprobs.h - tokens and their ln p, in both of OpenAI's shapes.
 *
 *     chat          {"content": [{"token", "logprob", "bytes", "top_logprobs": [...]}, ...]}
 *     completions   {"tokens": [], "token_logprobs": [], "top_logprobs": [{}], "text_offset": []}
 *
 * Invariant: they are of the model, before the chain; an ln p of minus infinity is -9999. */
#ifndef STRATA_LOGPROBS_H
#define STRATA_LOGPROBS_H

#include "text_job.h"

/* Notes begin .. end-1 of an answer; before them, with `prompt`, those of its prompt, where there are some. */
void logprobs_write(FILE *out, const TextJob *text, const Answer *answer, bool prompt,
                    size_t begin, size_t end);

#endif
