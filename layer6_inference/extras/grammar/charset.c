/* charset.c - character ranges as expressions over bytes.  See charset.h. */
#include "charset.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SURROGATE = 0xD800, LAST_SURROGATE = 0xDFFF };

/* Cut the surrogates out of a range; returns how many ranges remain (0..2). */
static size_t whole_ranges(CodeRange r, CodeRange out[2]) {
    size_t n = 0;
    if (r.first < FIRST_SURROGATE)
        out[n++] =
            (CodeRange){r.first, r.last < FIRST_SURROGATE ? r.last : FIRST_SURROGATE - 1};
    if (r.last > LAST_SURROGATE)
        out[n++] = (CodeRange){r.first > LAST_SURROGATE ? r.first : LAST_SURROGATE + 1, r.last};
    return n;
}

/* ------------------------------------------------------------------ ranges of digits */

/* Numbers of a fixed digit count with a range per digit: UTF-8 bytes, or the hex digits of an
 * escape.  `write` makes the expression of one digit low..high. */
typedef struct Places {
    int count;
    const uint8_t *least, *most; /* (count) */
    Expr (*write)(ExprStore *store, int place, unsigned low, unsigned high);
} Places;

static bool is_all(const uint8_t *digit, const uint8_t *limit, const Places *p, int place) {
    return memcmp(digit + place, limit + place, (size_t)(p->count - place)) == 0;
}

/* All numbers low..high, from digit `place` on. */
static Expr between(ExprStore *s, const Places *p, int place, const uint8_t *low,
                    const uint8_t *high) {
    if (place == p->count) return EXPR_EMPTY;
    bool from_least = is_all(low, p->least, p, place + 1);
    bool to_most = is_all(high, p->most, p, place + 1);
    if (low[place] == high[place] || (from_least && to_most))
        return expr_cat(s, p->write(s, place, low[place], high[place]),
                        between(s, p, place + 1, low, high));
    Expr part[3] = {EXPR_NONE, EXPR_NONE, EXPR_NONE};
    unsigned first = low[place], last = high[place];
    if (!from_least)
        part[0] = expr_cat(s, p->write(s, place, first, first),
                           between(s, p, place + 1, low, p->most)),
        first++;
    if (!to_most)
        part[2] = expr_cat(s, p->write(s, place, last, last),
                           between(s, p, place + 1, p->least, high)),
        last--;
    if (first <= last)
        part[1] = expr_cat(s, p->write(s, place, first, last),
                           between(s, p, place + 1, p->least, p->most));
    return expr_alt(s, part, 3);
}

/* The alternatives collected so far. */
typedef struct Parts {
    Expr *of;
    size_t count, room;
} Parts;

static void charset_add_part(Parts *parts, Expr e) {
    NEED_MEMORY(GROW(parts->of, parts->room, parts->count + 1), "a set of characters");
    parts->of[parts->count++] = e;
}

static Expr join_parts(ExprStore *s, Parts *parts) {
    Expr e = expr_alt(s, parts->of, parts->count);
    free(parts->of);
    return e;
}

/* ------------------------------------------------------------------ UTF-8 */

static Expr write_byte(ExprStore *s, int place, unsigned low, unsigned high) {
    ByteSet set = {{0}};
    (void)place;
    for (unsigned b = low; b <= high; b++) byte_set_add(&set, b);
    return expr_bytes(s, &set);
}

static const struct {
    uint32_t first, last; /* the characters of this encoded length */
    uint8_t least[4], most[4];
} lengths[] = {{0, 0x7F, {0}, {0x7F}},
               {0x80, 0x7FF, {0xC2, 0x80}, {0xDF, 0xBF}},
               {0x800, 0xFFFF, {0xE0, 0x80, 0x80}, {0xEF, 0xBF, 0xBF}},
               {0x10000, LAST_CODE, {0xF0, 0x80, 0x80, 0x80}, {0xF4, 0xBF, 0xBF, 0xBF}}};

static void add_utf8(ExprStore *s, Parts *parts, CodeRange r) {
    for (int n = 0; n < 4; n++) {
        uint32_t first = r.first > lengths[n].first ? r.first : lengths[n].first;
        uint32_t last = r.last < lengths[n].last ? r.last : lengths[n].last;
        uint8_t low[4] = {0}, high[4] = {0};
        if (first > last) continue;
        Places places = {n + 1, lengths[n].least, lengths[n].most, write_byte};
        utf8_encode(first, (char *)low);
        utf8_encode(last, (char *)high);
        charset_add_part(parts, between(s, &places, 0, low, high));
    }
}

Expr charset_utf8(ExprStore *store, const CodeSet *set) {
    Parts parts = {0};
    NEED_MEMORY(!set->failed, "a set of characters");
    for (size_t i = 0; i < set->count; i++) {
        CodeRange whole[2];
        size_t n = whole_ranges(set->ranges[i], whole);
        for (size_t k = 0; k < n; k++) add_utf8(store, &parts, whole[k]);
    }
    return join_parts(store, &parts);
}

/* ------------------------------------------------------------------ JSON */

static Expr write_hex(ExprStore *s, int place, unsigned low, unsigned high) {
    ByteSet set = {{0}};
    for (unsigned d = low; d <= high; d++) {
        byte_set_add(&set, (unsigned)"0123456789abcdef"[d]);
        byte_set_add(&set, (unsigned)"0123456789ABCDEF"[d]);
    }
    Expr digit = expr_bytes(s, &set);
    return place % 4 == 0 ? expr_cat(s, expr_text(s, "\\u", 2), digit) : digit;
}

static void hex_digits(uint32_t unit, uint8_t *out) {
    for (int i = 3; i >= 0; i--, unit >>= 4) out[i] = unit & 15;
}

/* \u0000 to \uFFFF, or a surrogate pair. */
static void add_hex(ExprStore *s, Parts *parts, CodeRange r) {
    static const uint8_t least[8] = {0}, most[4] = {15, 15, 15, 15};
    static const uint8_t pair_least[8] = {13, 8, 0, 0, 13, 12, 0, 0};
    static const uint8_t pair_most[8] = {13, 11, 15, 15, 13, 15, 15, 15};
    uint8_t low[8], high[8];
    if (r.first <= 0xFFFF) {
        Places places = {4, least, most, write_hex};
        hex_digits(r.first, low);
        hex_digits(r.last < 0xFFFF ? r.last : 0xFFFF, high);
        charset_add_part(parts, between(s, &places, 0, low, high));
    }
    if (r.last > 0xFFFF) {
        Places places = {8, pair_least, pair_most, write_hex};
        uint32_t first = (r.first > 0xFFFF ? r.first : 0x10000) - 0x10000;
        uint32_t last = r.last - 0x10000;
        hex_digits(0xD800 + (first >> 10), low), hex_digits(0xDC00 + (first & 1023), low + 4);
        hex_digits(0xD800 + (last >> 10), high), hex_digits(0xDC00 + (last & 1023), high + 4);
        charset_add_part(parts, between(s, &places, 0, low, high));
    }
}

/* The short escapes: letter, character. */
static const char escape_letters[] = "\"\\/bfnrt";
static const char escaped[] = "\"\\/\b\f\n\r\t";

static void add_short(ExprStore *s, Parts *parts, const CodeSet *set) {
    ByteSet letters = {{0}};
    bool any = false;
    for (int i = 0; escaped[i]; i++)
        if (code_set_has(set, (uint8_t)escaped[i]))
            byte_set_add(&letters, (uint8_t)escape_letters[i]), any = true;
    if (any) charset_add_part(parts, expr_cat(s, expr_byte(s, '\\'), expr_bytes(s, &letters)));
}

/* The characters that JSON allows unescaped in a string. */
static CodeSet plain_part(const CodeSet *set) {
    static const CodeRange plain[] = {{0x20, 0x21}, {0x23, 0x5B}, {0x5D, LAST_CODE}};
    CodeSet out = {0};
    for (size_t i = 0; i < set->count; i++)
        for (int k = 0; k < 3; k++) {
            CodeRange r = set->ranges[i];
            if (r.first < plain[k].first) r.first = plain[k].first;
            if (r.last > plain[k].last) r.last = plain[k].last;
            if (r.first <= r.last) code_set_add(&out, r.first, r.last);
        }
    return out;
}

Expr charset_json(ExprStore *store, const CodeSet *set) {
    Parts parts = {0};
    NEED_MEMORY(!set->failed, "a set of characters");
    CodeSet plain = plain_part(set);
    charset_add_part(&parts, charset_utf8(store, &plain));
    code_set_free(&plain);
    add_short(store, &parts, set);
    for (size_t i = 0; i < set->count; i++) {
        CodeRange whole[2];
        size_t n = whole_ranges(set->ranges[i], whole);
        for (size_t k = 0; k < n; k++) add_hex(store, &parts, whole[k]);
    }
    return join_parts(store, &parts);
}

Expr char_utf8(ExprStore *store, uint32_t c) {
    CodeRange one = {c, c};
    CodeSet set = {.ranges = &one, .count = 1};
    return charset_utf8(store, &set);
}

Expr char_json(ExprStore *store, uint32_t c) {
    CodeRange one = {c, c};
    CodeSet set = {.ranges = &one, .count = 1};
    return charset_json(store, &set);
}
