/* tools.h - the tools of strata grammar.
 *
 * Invariant: no tool answers after a limit of the grammar was exceeded (check_limits). */
#ifndef STRATA_GRAMMAR_TOOLS_H
#define STRATA_GRAMMAR_TOOLS_H

#include "inference.h"
#include "grammar.h"

#include <stdio.h>

/* Fails when the grammar met a limit. */
bool check_limits(const Grammar *grammar, Fault *fault);

/* For each line of standard input, a JSON string or an array of strings and token numbers:
 * print 1 when the whole text belongs to the grammar, else 0.  Empty lines are skipped.
 *
 *   tokens   of the vocabulary; 0: none, tokens are known by their numbers alone */
bool accept_lines(Grammar *grammar, size_t tokens, Fault *fault);

/* Print how far the grammar accepts a text, and what may follow. */
bool explain_text(Grammar *grammar, Text text, Fault *fault);

/* Print `count` texts of the grammar, as JSON strings.
 *
 *   tokenizer   draw tokens, not bytes; or NULL */
bool sample_texts(Grammar *grammar, const Tokenizer *tokenizer, size_t count, uint64_t seed,
                  Fault *fault);

/* Print the tokens that may come after a text.  Needs a grammar with this vocabulary. */
bool list_mask(Grammar *grammar, const Tokenizer *tokenizer, Text prefix, Fault *fault);

#endif
