/* charset.h - sets of characters, and the bytes that write them.
 *
 * A grammar speaks of characters, a tokenizer of bytes.  A range of characters becomes an
 * expression over bytes, first byte by first byte:
 *
 *     U+0080..U+07FF  ->  [C2-DF][80-BF]
 *     U+00E9..U+0101  ->  C3[A9-BF] | C4[80-81]
 *
 * In a JSON string a character has more than one spelling: itself, \n and the like, \u00e9, and
 * two \uD83D\uDE00 for those above U+FFFF.
 *
 * Surrogates are no characters: a set that has some is written without. */
#ifndef STRATA_CHARSET_H
#define STRATA_CHARSET_H

#include "code_set.h"
#include "expr.h"

/* The set in UTF-8. */
Expr charset_utf8(ExprStore *store, const CodeSet *set);

/* Every spelling of a character of the set inside a JSON string. */
Expr charset_json(ExprStore *store, const CodeSet *set);

/* One character in each way. */
Expr char_utf8(ExprStore *store, uint32_t c);
Expr char_json(ExprStore *store, uint32_t c);

#endif
