/* gbnf.h - llama.cpp's notation for grammars, read into rules. */
#ifndef STRATA_GBNF_H
#define STRATA_GBNF_H

#include "expr.h"

/* A token by its number, in a text of bytes: FF (which no UTF-8 holds) and three bytes.  The
 * trie of a vocabulary holds every token under this name, too. */
enum { TOKEN_MARK = 0xFF };

/* Read all rules into the store; *root is the rule named root.
 *
 *   tokenizer   for <text>; NULL: tokens can be given as <[number]> only
 *
 * Fails, naming line and column, on what is no GBNF, on a rule without a definition. */
bool gbnf_read(ExprStore *store, Text source, const Tokenizer *tokenizer, uint32_t *root,
               Fault *fault);

/* Fails when a rule can begin with itself: llama.cpp cannot load such a grammar. */
bool gbnf_check_left_recursion(ExprStore *store, uint32_t root, Fault *fault);

#endif
