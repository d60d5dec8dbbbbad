/* thinking.h - a model's thought, apart from its answer.
 *
 *     <think>Rome or Oslo?</think>   Oslo.
 *            |---thought--|          |-answer-      <think> may be the end of the prompt
 *
 * Only a chat whose template mentions <think> has thoughts, and none where a grammar is obeyed
 * from the first byte on, or an answer is continued ("answer_tokens").
 *
 * Invariant: as a text grows, its thought and its answer only grow, too. */
#ifndef STRATA_THINKING_H
#define STRATA_THINKING_H

#include "text_job.h"

/* Are this job's thoughts to be told apart ("reasoning_format")?  Sets job->thinking, and makes
 * its marks part of the texts. */
bool thinking_read(TextJob *text, const TokenList *prompt, const Chain *chain,
                   HttpError *error);

/* How many tokens of all answers that are over came before what is answered. */
size_t thinking_tokens(const TextJob *text);

/* The answer so far; *thought: what was thought before it. */
Text thinking_answer(const TextJob *text, const Answer *answer, Text *thought);

/* The same of a text.
 *
 *   inside   it begins within the thought
 *   whole    nothing follows */
Text thinking_split(Text text, bool inside, bool whole, Text *thought);

#endif
