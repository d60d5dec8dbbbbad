/* parser.c - the parser's access to tokens: look, take, or report what was expected.
 *
 * Invariant: after the first error the parser is at an end token, so parsing stops
 * everywhere. */
#include "syntax.h"

#include <stdarg.h>
#include <stdio.h>

Node *node_new(Parser *p, NodeKind kind) {
    Node *node = machine_take(p->machine, sizeof *node);
    *node = (Node){.kind = kind, .line = p->token->line};
    return node;
}

Node **node_append(Node **place, Node *node) {
    *place = node;
    return &node->next;
}

void parser_wrong(Parser *p, const char *format, ...) {
    static const Token end = {.kind = TOKEN_END};
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->machine->line = p->token->line;
    machine_raise(p->machine, "TemplateSyntaxError", "%s", text);
    p->token = &end;
}

bool parser_sees(const Parser *p, int kind) { return p->token->kind == kind; }

bool parser_sees_word(const Parser *p, const char *word) {
    return p->token->kind == TOKEN_NAME && text_equal(p->token->text, text_of(word));
}

bool parser_take(Parser *p, int kind) {
    bool is = parser_sees(p, kind) && kind != TOKEN_END;
    p->token += is;
    return is;
}

bool parser_take_word(Parser *p, const char *word) {
    bool is = parser_sees_word(p, word);
    p->token += is;
    return is;
}

const char *parser_words(const Token *token, char text[static 64]) {
    switch (token->kind) {
    case TOKEN_END:
    case TOKEN_TEXT: return "end of template";
    case TOKEN_PRINT_END: return "end of print statement";
    case TOKEN_BLOCK_END: return "end of statement block";
    case TOKEN_NAME:
    default:
        snprintf(text, 64, "%.*s", (int)min_size(token->text.size, 60), token->text.data);
        return text;
    }
}

void parser_want(Parser *p, int kind) {
    char got[64], wanted[64] = {(char)kind, 0};
    if (parser_take(p, kind)) return;
    Token want = {.kind = kind, .text = {wanted, 1}};
    if (kind == TOKEN_NAME) want.text = text_of("name");
    if (kind > 127 && kind < TOKEN_END)
        snprintf(wanted, sizeof wanted, "%c%c", kind >> 8, kind & 127);
    char wanted_words[64];
    parser_wrong(p, "expected token '%s', got '%s'", parser_words(&want, wanted_words),
                 parser_words(p->token, got));
}

Text parser_name(Parser *p) {
    Text name = p->token->text;
    parser_want(p, TOKEN_NAME);
    return p->machine->failed ? (Text){"", 0} : name;
}
