/* syntax.h - a template as a tree.
 *
 *     {{ "Hi " + name|upper }}
 *
 *     PRINT ── a ──▶ BINARY '+' ── a ──▶ LITERAL "Hi "
 *                               └─ b ──▶ FILTER upper ── a ──▶ NAME name
 *
 * Invariant: a tree does not change once it is read; any number of threads may run it. */
#ifndef STRATA_TEMPLATE_SYNTAX_H
#define STRATA_TEMPLATE_SYNTAX_H

#include "lexer.h"

typedef enum NodeKind {
    /* expressions */
    NODE_LITERAL,   /* value */
    NODE_NAME,      /* name */
    NODE_LIST,      /* list */
    NODE_TUPLE,     /* list */
    NODE_DICT,      /* list of NODE_PAIR */
    NODE_PAIR,      /* a: b */
    NODE_AND,       /* a and b */
    NODE_OR,        /* a or b */
    NODE_NOT,       /* not a */
    NODE_SIGN,      /* op a */
    NODE_BINARY,    /* a op b */
    NODE_COMPARE,   /* a, then list of NODE_STEP */
    NODE_STEP,      /* op a: one step of a comparison */
    NODE_CHOICE,    /* b if a else c (NULL: nothing) */
    NODE_ATTRIBUTE, /* a.name */
    NODE_INDEX,     /* a[b] */
    NODE_SLICE,     /* a[list: from, to, step], each a NODE_LITERAL none if omitted */
    NODE_CALL,      /* a(list) */
    NODE_FILTER,    /* a|name(list) */
    NODE_TEST,      /* a is name(list) */
    /* name=a, in a list of arguments; in a macro: name, and a its default or NULL */
    NODE_ARGUMENT,
    /* statements */
    NODE_TEXT,         /* value */
    NODE_PRINT,        /* a */
    NODE_IF,           /* if a: list; else: other (an elif is an NODE_IF there) */
    NODE_FOR,          /* for a in b if c: list; else: other; op: recursive */
    NODE_SET,          /* a = b */
    NODE_SET_BLOCK,    /* a = the text of list through the filters of b */
    NODE_MACRO,        /* name(other): list */
    NODE_CALL_BLOCK,   /* a is called with the macro caller(other): list */
    NODE_FILTER_BLOCK, /* the text of list through the filters of a */
    NODE_WITH,         /* other: NODE_SETs; list */
    NODE_SCOPE,        /* list, in a scope of its own */
    NODE_AUTOESCAPE,   /* a; list */
    NODE_BREAK,
    NODE_CONTINUE
} NodeKind;

typedef struct Node Node;
struct Node {
    NodeKind kind;
    int line, op;
    Text name;
    Value value;
    Node *a, *b, *c;
    Node *list, *other; /* chains through next */
    Node *next;
};

/* The name of a filter block's text for its first filter: no template can write it. */
#define BLOCK_TEXT ((Text){"", 0})

typedef struct Parser {
    Machine *machine;
    const Token *token;     /* the next one */
    const char *block;      /* the innermost open block: "if"; NULL: none */
    const char *block_ends; /* what may end it: "'elif' or 'else' or 'endif'" */
    int loops;              /* open loops, for break and continue */
} Parser;

/* ------------------------------------------------------------------ the tokens */

Node *node_new(Parser *parser, NodeKind kind);
Node **node_append(Node **place, Node *node); /* returns where to append next */

/* Is the next token of this kind, this word; take it if so. */
bool parser_sees(const Parser *parser, int kind);
bool parser_sees_word(const Parser *parser, const char *word);
bool parser_take(Parser *parser, int kind);
bool parser_take_word(Parser *parser, const char *word);
void parser_want(Parser *parser, int kind);                         /* or report an error */
const char *parser_words(const Token *token, char text[static 64]); /* for messages */
Text parser_name(Parser *parser);

/* Report an error; from now on every token is the end. */
void parser_wrong(Parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ------------------------------------------------------------------ expressions and
 * statements */

Node *parse_expression(Parser *parser);         /* with: a if b else c */
Node *parse_tuple(Parser *parser, bool choice); /* a, b: a tuple; a: a single expression */
Node *parse_target(Parser *parser); /* targets of an assignment: a name, several, ns.name */
Node *parse_call(Parser *parser);   /* f(...), with what may follow */
Node *parse_filters(Parser *parser, Node *input, bool first_is_name);

/* A whole template. */
Node *parse_template(Parser *parser);

#endif
