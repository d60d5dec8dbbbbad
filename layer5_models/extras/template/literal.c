/* literal.c - see literal.h. */
#include "literal.h"

#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ strings */

static void build_code_point(Machine *machine, Builder *builder, uint32_t code) {
    char bytes[4];
    build_bytes(machine, builder, bytes, NULL, utf8_encode(code, bytes));
}

/* \x41 \u00e9 \U0001F642 \101: up to `most` digits (hexadecimal forms: exactly).  Returns how
 * many. */
static size_t take_code(Machine *machine, Builder *builder, Text text, int base, size_t most) {
    uint32_t code = 0;
    size_t n = 0;
    for (; n < most && n < text.size && digit_value(text.data[n]) < base; n++)
        code = code * (uint32_t)base + (uint32_t)digit_value(text.data[n]);
    if ((base == 16 && n < most) || code > 0x10FFFF)
        machine_raise(machine, "TemplateSyntaxError",
                      "an escape in a string names no character");
    else
        build_code_point(machine, builder, code);
    return n;
}

/* \N{DIGIT ONE}: all Unicode names would be a megabyte; those of ASCII digits and letters
 * follow rules. */
static size_t literal_take_named(Machine *machine, Builder *builder, Text text) {
    static const char *const literal_digits[] = {"ZERO", "ONE", "TWO",   "THREE", "FOUR",
                                                 "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"};
    const char *close = text.size ? memchr(text.data, '}', text.size) : NULL;
    char name[40];
    if (!close || text.data[0] != '{') {
        machine_raise(machine, "TemplateSyntaxError", "malformed \\N character escape");
        return 0;
    }
    int size = (int)(close - text.data) - 1;
    snprintf(name, sizeof name, "%.*s", size, text.data + 1);
    for (uint32_t d = 0; d < 10; d++)
        if (strncmp(name, "DIGIT ", 6) == 0 && strcmp(name + 6, literal_digits[d]) == 0)
            build_code_point(machine, builder, '0' + d);
    bool capital = strncmp(name, "LATIN CAPITAL LETTER ", 21) == 0 && strlen(name) == 22;
    bool small = strncmp(name, "LATIN SMALL LETTER ", 19) == 0 && strlen(name) == 20;
    if (capital) build_code_point(machine, builder, (unsigned char)name[21]);
    if (small) build_code_point(machine, builder, (unsigned char)name[19] | 32u);
    if (!capital && !small && strncmp(name, "DIGIT ", 6) != 0)
        machine_raise(machine, "TemplateSyntaxError", "\\N{%s}: write the character itself",
                      name);
    return (size_t)size + 2;
}

/* After the backslash; returns the bytes read. */
static size_t literal_take_escape(Machine *machine, Builder *builder, Text text) {
    static const char letters[] = "\\'\"abfnrtv", meant[] = "\\'\"\a\b\f\n\r\t\v";
    char c = text.data[0];
    const char *letter = c ? strchr(letters, c) : NULL;
    Text rest = {text.data + 1, text.size - 1};
    if (letter) return build_bytes(machine, builder, meant + (letter - letters), NULL, 1), 1;
    if (c == '\n') return 1;
    if (c == 'x') return 1 + take_code(machine, builder, rest, 16, 2);
    if (c == 'u') return 1 + take_code(machine, builder, rest, 16, 4);
    if (c == 'U') return 1 + take_code(machine, builder, rest, 16, 8);
    if (c == 'N') return 1 + literal_take_named(machine, builder, rest);
    if (digit_value(c) < 8) return take_code(machine, builder, text, 8, 3);
    build_text(machine, builder, "\\"); /* not an escape: keep both */
    return 0;
}

Value literal_string(Machine *machine, Text text, size_t *size) {
    Builder builder = {0};
    size_t at = 1;
    *size = 0;
    while (at < text.size && text.data[at] != text.data[0]) {
        if (text.data[at] != '\\') {
            size_t from = at;
            while (at < text.size && text.data[at] != '\\' && text.data[at] != text.data[0])
                at++;
            build_bytes(machine, &builder, text.data + from, NULL, at - from);
        } else if (at + 1 < text.size) {
            at += 1 + literal_take_escape(machine, &builder,
                                          (Text){text.data + at + 1, text.size - at - 1});
        } else {
            at++;
        }
    }
    if (at < text.size) *size = at + 1;
    return build_value(machine, &builder);
}

/* ------------------------------------------------------------------ numbers */

/* Digits of a base from `at` on, with single _ between them; returns their end. */
static size_t literal_digits(Text text, size_t at, int base) {
    while (at < text.size && digit_value(text.data[at]) < base) {
        at++;
        if (at + 1 < text.size && text.data[at] == '_' && digit_value(text.data[at + 1]) < base)
            at++;
    }
    return at;
}

static size_t exponent(Text text, size_t at) {
    size_t from = at;
    if (at == text.size || (text.data[at] | 32) != 'e') return from;
    at++;
    if (at < text.size && (text.data[at] == '+' || text.data[at] == '-')) at++;
    size_t to = literal_digits(text, at, 10);
    return to > at ? to : from;
}

/* The digits without _, as many as can matter. */
static Value literal_whole(Machine *machine, Text text, int base, size_t from) {
    int64_t integer = 0;
    bool fits = true;
    Builder builder = {0};
    for (size_t i = from; i < text.size; i++) {
        if (text.data[i] == '_') continue;
        build_bytes(machine, &builder, text.data + i, NULL, 1);
        fits = fits && !__builtin_mul_overflow(integer, base, &integer) &&
               !__builtin_add_overflow(integer, digit_value(text.data[i]), &integer);
    }
    if (fits) return value_int(integer);
    if (base != 10) machine_raise(machine, "OverflowError", "an integer beyond 64 bits");
    return (Value){IS_BIG, {.string = build_end(machine, &builder)}};
}

static Value real_number(Text text) {
    char copy[400];
    size_t n = 0;
    for (size_t i = 0; i < text.size && n < sizeof copy - 1; i++)
        if (text.data[i] != '_') copy[n++] = text.data[i];
    copy[n] = 0;
    return value_float(strtod(copy, NULL));
}

Value literal_number(Machine *machine, Text text, bool real, size_t *size) {
    char mark = text.size > 2 && text.data[0] == '0' ? text.data[1] | 32 : 0;
    int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    size_t first = base == 10 ? 0 : 2 + (text.data[2] == '_'),
           end = literal_digits(text, first, base);
    if (base != 10 && end > first) {
        *size = end;
        return literal_whole(machine, (Text){text.data, end}, base, 2);
    }
    end = literal_digits(text, 0, 10);
    size_t to = end;
    if (real && to + 1 < text.size && text.data[to] == '.' &&
        digit_value(text.data[to + 1]) < 10)
        to = literal_digits(text, to + 1, 10);
    if (real) to = exponent(text, to);
    *size = to;
    if (to > end) return real_number((Text){text.data, to});
    for (size_t i = 0; i < end && text.data[0] == '0'; i++)
        if (digit_value(text.data[i]) != 0 &&
            text.data[i] != '_') /* 07 would be two numbers: an error */
            end = i;
    *size = end;
    return literal_whole(machine, (Text){text.data, end}, 10, 0);
}
