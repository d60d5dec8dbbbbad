/* lexer.c - see lexer.h.
 *
 *        text      sign     inside a tag      sign      text
 *     ..........{%  -   if x is defined   -  %}..........
 *              ^ before                        ^ after
 *
 *     before  -: all white space       lstrip_blocks: the indentation of a line    +: nothing
 *     after   -: all white space       trim_blocks: one newline                    +: nothing
 *
 * {{ }} has only the minus. */
#include "lexer.h"
#include "literal.h"

#include <stdio.h>
#include <string.h>

typedef struct Lexer {
    Machine *machine;
    const char *begin, *at, *end;
    Token *tokens;
    size_t count, room;
    const char *counted; /* where lines were last counted */
    int line;
    char brackets[LIMIT_DEPTH]; /* open brackets inside the tag */
    size_t open;
} Lexer;

static bool lexer_is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool looking_at(const Lexer *l, const char *text) {
    size_t size = strlen(text);
    return (size_t)(l->end - l->at) >= size && memcmp(l->at, text, size) == 0;
}

/* The line of a position in the source; positions only increase. */
static int line_at(Lexer *l, const char *place) {
    for (; l->counted < place; l->counted++) l->line += *l->counted == '\n';
    return l->line;
}

static void lexer_wrong(Lexer *l, const char *place, const char *what) {
    l->machine->line = line_at(l, place);
    machine_raise(l->machine, "TemplateSyntaxError", "%s", what);
    l->at = l->end;
}

static void wrong_character(Lexer *l, const char *place) {
    char text[64];
    snprintf(text, sizeof text,
             *place == '\'' ? "unexpected char \"%c\" at %ld" : "unexpected char '%c' at %ld",
             *place, (long)(place - l->begin));
    lexer_wrong(l, place, text);
}

static void lexer_add(Lexer *l, int kind, const char *from, const char *to, Value value) {
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 256;
        Token *grown = machine_take_much(l->machine, room * sizeof *grown);
        if (!grown) return;
        if (l->count) memcpy(grown, l->tokens, l->count * sizeof *grown);
        l->tokens = grown;
        l->room = room;
    }
    l->tokens[l->count++] = (Token){kind, line_at(l, from), {from, (size_t)(to - from)}, value};
}

static void lexer_add_text(Lexer *l, const char *from, const char *to) {
    if (from < to) lexer_add(l, TOKEN_TEXT, from, to, value_none());
}

/* ------------------------------------------------------------------ white space around tags */

static const char *trim_before(const Lexer *l, const char *from, const char *tag, char sign,
                               bool strips_line) {
    const char *to = tag;
    while (to > from && sign == '-' && lexer_is_blank(to[-1])) to--;
    if (sign || !strips_line) return to;
    while (to > from && lexer_is_blank(to[-1]) && to[-1] != '\n') to--;
    bool opens_line = to == l->begin || to[-1] == '\n';
    return opens_line ? to : tag;
}

/* Consume the tag's end: `size` bytes with its sign. */
static void trim_after(Lexer *l, size_t size, char sign, bool trims_newline) {
    l->at += size;
    while (sign == '-' && l->at < l->end && lexer_is_blank(*l->at)) l->at++;
    if (!sign && trims_newline && l->at < l->end && *l->at == '\n') l->at++;
}

static char take_sign(Lexer *l) {
    return l->at < l->end && (*l->at == '-' || *l->at == '+') ? *l->at++ : 0;
}

/* ------------------------------------------------------------------ inside a tag */

static bool take_end(Lexer *l, bool print) {
    char sign = 0;
    if (l->open) return false; /* }} closes two dicts */
    if (looking_at(l, print ? "-}}" : "-%}")) sign = '-';
    if (!print && looking_at(l, "+%}")) sign = '+';
    if (!sign && !looking_at(l, print ? "}}" : "%}")) return false;
    lexer_add(l, print ? TOKEN_PRINT_END : TOKEN_BLOCK_END, l->at, l->at, value_none());
    trim_after(l, sign ? 3 : 2, sign, !print);
    return true;
}

static void lexer_take_name(Lexer *l) {
    const char *from = l->at;
    while (l->at < l->end && (is_letter(*l->at) || is_digit(*l->at))) l->at++;
    lexer_add(l, TOKEN_NAME, from, l->at, value_none());
}

static void take_literal(Lexer *l) {
    const char *from = l->at;
    bool after_point = l->count && l->tokens[l->count - 1].kind == '.';
    size_t size;
    Value value = *from == '"' || *from == '\''
                      ? literal_string(l->machine, (Text){from, (size_t)(l->end - from)}, &size)
                      : literal_number(l->machine, (Text){from, (size_t)(l->end - from)},
                                       !after_point, &size);
    if (size == 0) {
        wrong_character(l, from);
        return;
    }
    l->at += size;
    lexer_add(l, TOKEN_VALUE, from, l->at, value);
}

static void match_bracket(Lexer *l, char c) {
    static const char pairs[] = "()[]{}";
    const char *place = strchr(pairs, c);
    char text[64];
    if (!place) return;
    if ((place - pairs) % 2 == 0) {
        if (l->open == LIMIT_DEPTH)
            lexer_wrong(l, l->at, "too many brackets inside each other");
        else
            l->brackets[l->open++] = place[1];
    } else if (l->open == 0 || l->brackets[--l->open] != c) {
        snprintf(text, sizeof text, "unexpected '%c'", c);
        lexer_wrong(l, l->at, text);
    }
}

static void take_operator(Lexer *l) {
    static const char *const twos[] = {"//", "**", "==", "!=", "<=", ">="};
    const char *from = l->at;
    for (size_t i = 0; i < sizeof twos / sizeof *twos; i++)
        if (looking_at(l, twos[i])) {
            l->at += 2;
            lexer_add(l, TWO(twos[i][0], twos[i][1]), from, l->at, value_none());
            return;
        }
    if (!*from || !strchr("+-*/%~()[]{}<>=.:|,;", *from)) {
        wrong_character(l, from);
        return;
    }
    match_bracket(l, *from);
    if (l->machine->failed) return;
    l->at++;
    lexer_add(l, *from, from, l->at, value_none());
}

static void take_inside(Lexer *l, bool print) {
    while (l->at < l->end && !l->machine->failed) {
        if (lexer_is_blank(*l->at))
            l->at++;
        else if (take_end(l, print))
            return;
        else if (is_letter(*l->at))
            lexer_take_name(l);
        else if (is_digit(*l->at) || *l->at == '"' || *l->at == '\'')
            take_literal(l);
        else
            take_operator(l);
    }
}

/* ------------------------------------------------------------------ tags */

static void take_comment(Lexer *l) {
    const char *from = l->at;
    while (l->at < l->end && !looking_at(l, "#}")) l->at++;
    if (l->at == l->end) {
        lexer_wrong(l, from, "Missing end of comment tag");
        return;
    }
    char sign = l->at > from && (l->at[-1] == '-' || l->at[-1] == '+') ? l->at[-1] : 0;
    trim_after(l, 2, sign, true);
}

/* {% raw %}: everything up to {% endraw %} is text.  At the word after a block's sign. */
static bool lexer_take_word(Lexer *l, const char *word) {
    const char *back = l->at;
    while (l->at < l->end && lexer_is_blank(*l->at)) l->at++;
    if (looking_at(l, word)) {
        l->at += strlen(word);
        while (l->at < l->end && lexer_is_blank(*l->at)) l->at++;
        if (looking_at(l, "%}") || looking_at(l, "-%}") || looking_at(l, "+%}")) return true;
    }
    l->at = back;
    return false;
}

static void take_raw(Lexer *l) {
    char sign = take_sign(l);
    trim_after(l, 2, sign, false);
    for (const char *from = l->at; l->at < l->end; l->at++) {
        const char *tag = l->at;
        if (!looking_at(l, "{%")) continue;
        l->at += 2;
        sign = take_sign(l);
        if (lexer_take_word(l, "endraw")) {
            lexer_add_text(l, from, trim_before(l, from, tag, sign, true));
            sign = take_sign(l);
            trim_after(l, 2, sign, true);
            return;
        }
        l->at = tag;
    }
    lexer_wrong(l, l->end, "Missing end of raw directive");
}

static void take_tag(Lexer *l, const char *from) {
    const char *tag = l->at;
    char kind = tag[1];
    l->at += 2;
    char sign = take_sign(l);
    lexer_add_text(l, from, trim_before(l, from, tag, sign, kind != '{'));
    if (kind == '#') {
        take_comment(l);
    } else if (kind == '%' && lexer_take_word(l, "raw")) {
        take_raw(l);
    } else {
        lexer_add(l, kind == '{' ? TOKEN_PRINT_BEGIN : TOKEN_BLOCK_BEGIN, tag, l->at,
                  value_none());
        take_inside(l, kind == '{');
    }
}

const Token *lex(Machine *machine, Text source) {
    Lexer *l = machine_take(machine, sizeof *l);
    l->machine = machine;
    l->begin = l->at = l->counted = source.data;
    l->end = source.data + source.size;
    l->line = 1;
    const char *from = l->at;
    while (l->at < l->end && !machine->failed) {
        if (*l->at == '{' &&
            (looking_at(l, "{{") || looking_at(l, "{%") || looking_at(l, "{#"))) {
            take_tag(l, from);
            from = l->at;
        } else {
            l->at++;
        }
    }
    if (!machine->failed) lexer_add_text(l, from, l->end);
    if (machine->failed) l->count = 0;
    lexer_add(l, TOKEN_END, l->end, l->end, value_none());
    static const Token end = {.kind = TOKEN_END, .line = 1};
    return l->count ? l->tokens : &end;
}
