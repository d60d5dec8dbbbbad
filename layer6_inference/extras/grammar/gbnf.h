/* gbnf.h - reads GBNF, llama.cpp's grammar notation, into rules. */
#ifndef STRATA_GBNF_H
#define STRATA_GBNF_H

#include "expr.h"

/* A token by its id, written as bytes: FF (never in UTF-8), then three bytes.  The vocabulary's
 * trie has every token under this name too. */
enum { TOKEN_MARK = 0xFF };

/* Read all rules into the store; *root is the rule named root.
 *
 *   tokenizer   for <text>; NULL: only <[number]> is allowed
 *
 * Fails, naming line and column, on a syntax error or a rule without a definition. */
bool gbnf_read(ExprStore *store, Text source, const Tokenizer *tokenizer, uint32_t *root,
               Fault *fault);

/* Fails on left recursion: llama.cpp cannot load such a grammar. */
bool gbnf_check_left_recursion(ExprStore *store, uint32_t root, Fault *fault);

#endif
