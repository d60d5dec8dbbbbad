/* lexer.h - a template's source as tokens.
 *
 *     Hi {{ name|upper }}!    TEXT "Hi "  PRINT_BEGIN  NAME name  '|'  NAME upper  PRINT_END
 *                             TEXT "!"
 *
 * White space is handled here and nowhere else: what a sign (- or +), trim_blocks and
 * lstrip_blocks remove never becomes a token.
 *
 * Invariant: the list ends with TOKEN_END; brackets inside a tag are balanced. */
#ifndef STRATA_TEMPLATE_LEXER_H
#define STRATA_TEMPLATE_LEXER_H

#include "value.h"

/* An operator's kind is its characters: '+', TWO('=', '='). */
#define TWO(a, b) ((a) << 8 | (b))

enum {
    TOKEN_END = 1 << 16,
    TOKEN_TEXT,
    TOKEN_PRINT_BEGIN,
    TOKEN_PRINT_END,
    TOKEN_BLOCK_BEGIN,
    TOKEN_BLOCK_END,
    TOKEN_NAME,
    TOKEN_VALUE /* a literal */
};

typedef struct Token {
    int kind, line;
    Text text;   /* in the source */
    Value value; /* of a literal */
} Token;

/* The tokens of a source with \n as line ends.  After an error only TOKEN_END. */
const Token *lex(Machine *machine, Text source);

#endif
