/* regex.h - regular expressions, as JSON Schema and programming languages write them. */
#ifndef STRATA_REGEX_H
#define STRATA_REGEX_H

#include "charset.h"
#include "regex_tree.h"

typedef struct RegexOptions {
    /* match anywhere in the text, unless ^ and $ say otherwise (JSON Schema's `pattern`) */
    bool search;
    /* how character sets are spelled: charset_utf8, or charset_json inside a JSON string */
    Expr (*write)(ExprStore *store, const CodeSet *set);
} RegexOptions;

/* regex_notation.c: escapes and (? groups of ECMA-262 with the u flag. */
extern const RegexNotation ecma_notation;

/* Read a regular expression (ECMA-262 without its non-regular parts).
 *
 * Fails, naming the position and what was found there. */
bool regex_read(ExprStore *store, Text source, const RegexOptions *options, Expr *expr,
                Fault *fault);

#endif
