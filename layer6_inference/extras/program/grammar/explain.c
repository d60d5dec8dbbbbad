/* explain.c - where a text leaves a grammar, and what was expected there.  See tools.h. */
#include "tools.h"
#include "grammar.h"
#include "unicode.h"

#include <string.h>

enum { RANGES_SHOWN = 24, RULES_SHOWN = 16, NO_TEXT = 0xFF };

/* Places in a text, of whole characters. */
typedef struct Place {
    size_t line, column, byte;
    uint32_t row;
} Place;

/* How many bytes are read at once: a character, or what is none. */
static size_t step_of(Text text, size_t at) {
    int size = utf8_character((const unsigned char *)text.data + at, text.size - at);
    return size > 0 ? (size_t)size : size < 0 ? (size_t)-size : text.size - at;
}

/* As far as the text belongs to it. */
static Place read_text(Grammar *grammar, Text text) {
    Place p = {1, 1, 0, grammar_begin(grammar)};
    while (p.byte < text.size) {
        size_t step = step_of(text, p.byte);
        uint32_t next = grammar_read(grammar, p.row, text.data + p.byte, step);
        if (next == GRAMMAR_DEAD) break;
        bool newline = text.data[p.byte] == '\n';
        p = (Place){p.line + newline, newline ? 1 : p.column + 1, p.byte + step, next};
    }
    return p;
}

/* ------------------------------------------------------------------ characters */

static bool goes_on(Grammar *grammar, uint32_t row, uint32_t c) {
    char bytes[4];
    size_t size = utf8_encode(c, bytes);
    return grammar_read(grammar, row, bytes, size) != GRAMMAR_DEAD;
}

static void put_character(uint32_t c) {
    char bytes[4] = "";
    if (c == '\n' || c == '\t' || c == '\r')
        printf("\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    else if (c < ' ' || (c >= 0x7F && c < 0xA1) || (c >= 0xD800 && c < 0xE000) || c >= 0x3000)
        printf(c < 0x100 ? "\\x%02X" : c < 0x10000 ? "\\u%04X" : "\\U%08X", c);
    else {
        size_t size = utf8_encode(c, bytes);
        if (c < 0x80 && strchr("\\[]^-", (char)c)) putchar('\\');
        fwrite(bytes, 1, size, stdout);
    }
}

static void put_range(uint32_t first, uint32_t last) {
    put_character(first);
    if (last > first + 1) putchar('-');
    if (last > first) put_character(last);
}

/* All characters that may come, as a set: [0-9a-f]; returns whether there are any. */
static bool put_characters(Grammar *grammar, uint32_t row) {
    size_t ranges = 0;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (!goes_on(grammar, row, c)) continue;
        uint32_t first = c;
        while (c < 0x10FFFF && goes_on(grammar, row, c + 1)) c++;
        if (ranges++ == 0) printf("  wanted  [");
        if (ranges <= RANGES_SHOWN) put_range(first, c);
    }
    if (ranges) putchar(']');
    if (ranges > RANGES_SHOWN) printf(" and more");
    return ranges > 0;
}

/* ------------------------------------------------------------------ what is printed */

static void put_expected(Grammar *grammar, uint32_t row) {
    const char *names[RULES_SHOWN];
    bool any = put_characters(grammar, row);
    if (grammar_next(grammar, row, NO_TEXT) != GRAMMAR_DEAD)
        printf("%sa token by its number", any ? " or " : "  wanted  "), any = true;
    if (grammar_is_complete(grammar, row))
        printf("%sthe end of the text", any ? " or " : "  wanted  "), any = true;
    if (any) putchar('\n');
    size_t count = grammar_begins(grammar, row, names, RULES_SHOWN);
    for (size_t i = 0; i < count; i++) printf("%s%s", i ? ", " : "  rules   ", names[i]);
    if (count) putchar('\n');
}

static void put_place(const Place *p, Text text) {
    bool end = p->byte == text.size;
    printf("line %zu, column %zu, byte %zu: ", p->line, p->column, p->byte);
    if (end) {
        puts("the text is incomplete");
        return;
    }
    putchar('\'');
    utf8_print_escaped(stdout, (Text){text.data + p->byte, step_of(text, p->byte)});
    puts("' cannot come here");
}

bool explain_text(Grammar *grammar, Text text, Fault *fault) {
    if (grammar_begin(grammar) == GRAMMAR_DEAD)
        return puts("the grammar matches no text at all"), true;
    Place p = read_text(grammar, text);
    if (!check_limits(grammar, fault)) return false;
    if (p.byte == text.size && grammar_is_complete(grammar, p.row))
        return puts("the grammar accepts the text"), true;
    put_place(&p, text);
    put_expected(grammar, p.row);
    return check_limits(grammar, fault);
}
