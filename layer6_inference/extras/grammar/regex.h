/* regex.h - regular expressions, as JSON Schema and programming languages write them. */
#ifndef STRATA_REGEX_H
#define STRATA_REGEX_H

#include "charset.h"
#include "regex_tree.h"

typedef struct RegexOptions {
    /* find it anywhere in the text, unless ^ and $ say otherwise (JSON Schema's `pattern`) */
    bool search;
    /* how a set of characters is written: charset_utf8, or charset_json inside a JSON string */
    Expr (*write)(ExprStore *store, const CodeSet *set);
} RegexOptions;

/* regex_notation.c: what a backslash and (? stand for in ECMA-262 with the u flag. */
extern const RegexNotation ecma_notation;

/* Read a regular expression (ECMA-262 without what is not regular).
 *
 * Fails, naming the place and what stands there. */
bool regex_read(ExprStore *store, Text source, const RegexOptions *options, Expr *expr,
                Fault *fault);

#endif
