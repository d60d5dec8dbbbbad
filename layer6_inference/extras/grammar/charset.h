/* charset.h - character sets compiled to byte expressions.
 *
 * Grammars are written in characters, tokens are bytes.  A range of characters becomes an
 * expression over its UTF-8 bytes:
 *
 *     U+0080..U+07FF  ->  [C2-DF][80-BF]
 *     U+00E9..U+0101  ->  C3[A9-BF] | C4[80-81]
 *
 * In a JSON string a character has several spellings: itself, a short escape (\n), \u00e9, or a
 * surrogate pair (\uD83D\uDE00) above U+FFFF.
 *
 * Surrogates are not characters: they are removed from every set. */
#ifndef STRATA_CHARSET_H
#define STRATA_CHARSET_H

#include "code_set.h"
#include "expr.h"

/* The set in UTF-8. */
Expr charset_utf8(ExprStore *store, const CodeSet *set);

/* Every spelling of a character of the set inside a JSON string. */
Expr charset_json(ExprStore *store, const CodeSet *set);

/* The same for one character. */
Expr char_utf8(ExprStore *store, uint32_t c);
Expr char_json(ExprStore *store, uint32_t c);

#endif
