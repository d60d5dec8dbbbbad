/* gbnf_atom.c - GBNF terminals: texts, character sets, tokens.  See gbnf.c. */
#include "gbnf_reader.h"
#include "charset.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gbnf_wrong(const GbnfReader *r, const char *what) {
    char found[48] = "the end of the grammar";
    size_t rest = (size_t)(r->end - r->at), line = 0;
    while (line < rest && line < 20 && r->at[line] != '\n') line++;
    if (line > 0)
        snprintf(found, sizeof found, "'%.*s'", (int)line, r->at);
    else if (rest > 0)
        snprintf(found, sizeof found, "the end of the line");
    return fault_set(r->fault, "grammar, line %d, column %ld: %s, got %s", r->line,
                     (long)(r->at - r->line_begin) + 1, what, found);
}

bool gbnf_add_item(GbnfReader *r, GbnfItems *items, Expr e) {
    if (++r->items > GBNF_ITEMS) return gbnf_wrong(r, "the grammar is too large");
    NEED_MEMORY(GROW(items->of, items->room, items->count + 1), "a grammar");
    items->of[items->count++] = e;
    return true;
}

Expr gbnf_chain_items(GbnfReader *r, GbnfItems *items) {
    Expr e = EXPR_EMPTY;
    while (items->count > 0) e = expr_cat(r->store, items->of[--items->count], e);
    free(items->of);
    *items = (GbnfItems){0};
    return e;
}

/* ------------------------------------------------------------------ characters */

static bool take_hex(GbnfReader *r, int digits, uint32_t *value) {
    *value = 0;
    for (int i = 0; i < digits; i++, r->at++) {
        char c = r->at < r->end ? *r->at : 0;
        int digit = digit_value(c);
        if (digit > 15) return gbnf_wrong(r, "wanted a hexadecimal digit");
        *value = *value * 16 + (uint32_t)digit;
    }
    if (*value > 0x10FFFF) return gbnf_wrong(r, "no such character");
    return true;
}

static bool gbnf_atom_take_char(GbnfReader *r, uint32_t *c) {
    size_t taken;
    if (r->at == r->end || *r->at == '\n') return gbnf_wrong(r, "wanted a character");
    if (!gbnf_take(r, '\\')) {
        *c = utf8_decode(r->at, (size_t)(r->end - r->at), &taken);
        if (*c == 0xFFFD && taken == 1) return gbnf_wrong(r, "these bytes are not UTF-8");
        r->at += taken;
        return true;
    }
    char kind = r->at < r->end ? *r->at : 0;
    r->at += kind != 0;
    switch (kind) {
    case 'x': return take_hex(r, 2, c);
    case 'u': return take_hex(r, 4, c);
    case 'U': return take_hex(r, 8, c);
    case 't': return *c = '\t', true;
    case 'r': return *c = '\r', true;
    case 'n': return *c = '\n', true;
    case '\\':
    case '"':
    case '[':
    case ']': return *c = (uint8_t)kind, true;
    default: break;
    }
    r->at -= kind ? 2 : 1;
    return gbnf_wrong(r,
                      "wanted one of the escapes \\t \\r \\n \\\\ \\\" \\[ \\] \\xHH \\uHHHH "
                      "\\UHHHHHHHH");
}

bool gbnf_take_text(GbnfReader *r, Expr *e) {
    GbnfItems items = {0};
    uint32_t c = 0;
    bool ok = true;
    while (ok && !gbnf_at_char(r, '"'))
        ok = gbnf_atom_take_char(r, &c) && gbnf_add_item(r, &items, char_utf8(r->store, c));
    *e = gbnf_chain_items(r, &items);
    return ok && (gbnf_take(r, '"') || gbnf_wrong(r, "wanted a \""));
}

bool gbnf_take_set(GbnfReader *r, Expr *e) {
    CodeSet set = {0};
    bool inverted = gbnf_take(r, '^'), ok = true;
    while (ok && !gbnf_at_char(r, ']')) {
        uint32_t first = 0, last;
        ok = gbnf_atom_take_char(r, &first);
        last = first;
        if (ok && gbnf_at_char(r, '-') && r->end - r->at > 1 && r->at[1] != ']') {
            r->at++;
            ok = gbnf_atom_take_char(r, &last);
            if (ok && last < first) ok = gbnf_wrong(r, "a range that ends before it begins");
        }
        if (ok) code_set_add(&set, first, last);
    }
    if (ok && set.count == 0 && !inverted) ok = gbnf_wrong(r, "an empty set allows nothing");
    if (ok) ok = gbnf_take(r, ']') || gbnf_wrong(r, "wanted a ]");
    if (inverted) code_set_invert(&set);
    *e = charset_utf8(r->store, &set);
    code_set_free(&set);
    return ok;
}

/* ------------------------------------------------------------------ tokens */

Expr gbnf_token_expr(ExprStore *s, uint32_t id) {
    uint8_t bytes[4] = {TOKEN_MARK, (uint8_t)(id >> 16), (uint8_t)(id >> 8), (uint8_t)id};
    return expr_text(s, (const char *)bytes, 4);
}

/* Any other token: at least one of its three id bytes differs. */
Expr gbnf_other_tokens(ExprStore *s, uint32_t id) {
    ByteSet all;
    memset(&all, 0xFF, sizeof all);
    Expr any = expr_bytes(s, &all), same = expr_byte(s, TOKEN_MARK), out = EXPR_NONE;
    for (int place = 0; place < 3; place++) {
        uint8_t byte = (uint8_t)(id >> (16 - 8 * place));
        ByteSet others = all;
        others.word[byte >> 6] &= ~((uint64_t)1 << (byte & 63));
        Expr tail = expr_repeat(s, any, (uint32_t)(2 - place), (uint32_t)(2 - place));
        out = expr_either(s, out, expr_cat(s, same, expr_cat(s, expr_bytes(s, &others), tail)));
        same = expr_cat(s, same, expr_byte(s, byte));
    }
    return out;
}

/* <[123]> or <text>, after the <. */
bool gbnf_take_token(GbnfReader *r, uint32_t *id) {
    const char *from = r->at;
    while (r->at < r->end && *r->at != '>' && *r->at != '\n') r->at++;
    if (!gbnf_at_char(r, '>')) return gbnf_wrong(r, "wanted the > of a token");
    size_t size = (size_t)(r->at++ - from);
    if (size > 2 && size < 12 && from[0] == '[' && from[size - 1] == ']') {
        char digits[16] = "", *end;
        memcpy(digits, from + 1, size - 2);
        long value = strtol(digits, &end, 10);
        *id = (uint32_t)value;
        if (*end == 0 && value >= 0 && value < 1 << 24) return true;
        return r->at = from, gbnf_wrong(r, "wanted the number of a token, as in <[123]>");
    }
    if (!r->tokenizer)
        return r->at = from,
               gbnf_wrong(r, "<text> needs a model's tokenizer; <[123]> does not");
    TokenList tokens = {0};
    Text text = {from - 1, size + 2};
    bool ok = tokenizer_encode(r->tokenizer, text, true, &tokens, r->fault);
    bool one = ok && tokens.count == 1;
    if (one) *id = (uint32_t)tokens.ids[0];
    token_list_free(&tokens);
    if (ok && !one)
        return r->at = from, gbnf_wrong(r, "this text is not one token of the model");
    return ok;
}
