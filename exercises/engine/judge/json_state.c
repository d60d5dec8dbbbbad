/* json_state.c - the JSON of chapter 12, a byte at a time.  See json_state.h. */
#include "json_state.h"

#include <stdbool.h>
#include <string.h>

static void after_value(State *s) { s->at = s->depth ? AFTER : OVER; }

static void take_after(State *s, int c) {
    char open = s->open[s->depth - 1];
    if (c == ',')
        s->at = open == '{' ? KEY : VALUE;
    else if (c == (open == '{' ? '}' : ']'))
        s->depth--, after_value(s);
    else
        s->at = BAD;
}

static void take_value(State *s, int c) {
    static const char *const words[] = {"true", "false", "null"};
    s->at = BAD;
    if ((c == '{' || c == '[') && s->depth < 60)
        s->open[s->depth++] = (char)c, s->at = c == '{' ? FIRST_KEY : FIRST_ITEM;
    if (c == '"') s->at = STRING;
    if (c == '-') s->at = MINUS;
    if (c >= '0' && c <= '9') s->at = c == '0' ? ZERO : NUMBER;
    for (int i = 0; i < 3; i++)
        if (c == words[i][0]) strcpy(s->word, words[i] + 1), s->at = WORD;
}

void state_take(State *s, int c) {
    bool letter = c >= 32 && c < 127 && c != '"' && c != '\\', digit = c >= '0' && c <= '9';
    switch (s->at) {
    case FIRST_ITEM:
        if (c == ']')
            s->depth--, after_value(s);
        else
            take_value(s, c);
        break;
    case VALUE: take_value(s, c); break;
    case FIRST_KEY:
        if (c == '}')
            s->depth--, after_value(s);
        else
            s->at = c == '"' ? IN_KEY : BAD;
        break;
    case KEY: s->at = c == '"' ? IN_KEY : BAD; break;
    case IN_KEY: s->at = c == '"' ? COLON : letter ? IN_KEY : BAD; break;
    case COLON: s->at = c == ':' ? VALUE : BAD; break;
    case STRING:
        if (c == '"')
            after_value(s);
        else if (!letter)
            s->at = BAD;
        break;
    case MINUS: s->at = !digit ? BAD : c == '0' ? ZERO : NUMBER; break;
    case WORD:
        if (c != s->word[0])
            s->at = BAD;
        else if (memmove(s->word, s->word + 1, strlen(s->word)), !s->word[0])
            after_value(s);
        break;
    case NUMBER:
        if (!digit) take_after(s, c);
        break;
    case ZERO:
    case AFTER: take_after(s, c); break;
    case OVER:
    case BAD: s->at = BAD;
    }
}

int state_left(const State *s) {
    static const int more[] = {[VALUE] = 1,  [KEY] = 4,   [IN_KEY] = 3, [COLON] = 2,
                               [STRING] = 1, [MINUS] = 1, [BAD] = 0};
    return s->depth + (s->at == WORD ? (int)strlen(s->word) : more[s->at]);
}
