/* explain_tokens.h - strata tokenize --explain. */
#ifndef STRATA_EXPLAIN_TOKENS_H
#define STRATA_EXPLAIN_TOKENS_H

#include "tokenizers.h"

/* Append the text's tokens and print how they arise.  Fails as tokenizer_encode does. */
bool explain_tokens(const Tokenizer *tokenizer, Text text, bool special, TokenList *tokens,
                    Fault *fault);

#endif
