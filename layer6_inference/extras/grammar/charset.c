/* charset.c - ranges of characters as expressions over bytes.  See charset.h. */
#include "charset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_CHAR = 0x10FFFF, FIRST_SURROGATE = 0xD800, LAST_SURROGATE = 0xDFFF };

void charset_add(CharSet *set, uint32_t first, uint32_t last) {
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 8;
        set->range = realloc(set->range, set->room * sizeof *set->range);
        REQUIRE(set->range, "no memory for a set of characters");
    }
    set->range[set->count++] = (CharRange){first, last};
}

void charset_add_all(CharSet *set, const CharSet *other) {
    for (size_t i = 0; i < other->count; i++)
        charset_add(set, other->range[i].first, other->range[i].last);
}

void charset_free(CharSet *set) {
    free(set->range);
    *set = (CharSet){0};
}

static int by_first(const void *x, const void *y) {
    const CharRange *a = x, *b = y;
    return (a->first > b->first) - (a->first < b->first);
}

/* A range without the surrogates, which are no characters, goes to the end of the set. */
static void add_whole(CharSet *set, CharRange r) {
    if (r.first < FIRST_SURROGATE && r.last >= FIRST_SURROGATE)
        charset_add(set, r.first, FIRST_SURROGATE - 1);
    else if (r.first < FIRST_SURROGATE)
        charset_add(set, r.first, r.last);
    if (r.last > LAST_SURROGATE)
        charset_add(set, r.first > LAST_SURROGATE ? r.first : LAST_SURROGATE + 1, r.last);
}

void charset_tidy(CharSet *set) {
    CharSet tidy = {0};
    if (set->count > 1) qsort(set->range, set->count, sizeof *set->range, by_first);
    for (size_t i = 0; i < set->count;) {
        CharRange r = set->range[i++];
        for (; i < set->count && set->range[i].first <= r.last + 1; i++)
            if (set->range[i].last > r.last) r.last = set->range[i].last;
        add_whole(&tidy, r);
    }
    charset_free(set);
    *set = tidy;
}

void charset_invert(CharSet *set) {
    CharSet others = {0};
    uint32_t next = 0;
    charset_tidy(set);
    for (size_t i = 0; i < set->count; i++) {
        if (set->range[i].first > next) charset_add(&others, next, set->range[i].first - 1);
        next = set->range[i].last + 1;
    }
    if (next <= LAST_CHAR) charset_add(&others, next, LAST_CHAR);
    charset_free(set);
    *set = others;
    charset_tidy(set);
}

/* ------------------------------------------------------------------ ranges of digits */

/* Numbers of a fixed count of digits, each with limits of its own: the bytes of UTF-8, or the
 * hexadecimal digits of an escape.  `write` makes the expression of one digit from `low` to `high`. */
typedef struct Places {
    int count;
    const uint8_t *least, *most; /* (count) */
    Expr (*write)(ExprStore *store, int place, unsigned low, unsigned high);
} Places;

static bool is_all(const uint8_t *digit, const uint8_t *limit, const Places *p, int place) {
    return memcmp(digit + place, limit + place, (size_t)(p->count - place)) == 0;
}

/* All numbers from low to high, digits from `place` on. */
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

/* Expressions on their way into an alt. */
typedef struct Parts {
    Expr *of;
    size_t count, room;
} Parts;

static void add_part(Parts *parts, Expr e) {
    if (parts->count == parts->room) {
        parts->room = parts->room ? 2 * parts->room : 32;
        parts->of = realloc(parts->of, parts->room * sizeof *parts->of);
        REQUIRE(parts->of, "no memory for a set of characters");
    }
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
    uint32_t first, last; /* the characters of so many bytes */
    uint8_t least[4], most[4];
} lengths[] = {{0, 0x7F, {0}, {0x7F}},
               {0x80, 0x7FF, {0xC2, 0x80}, {0xDF, 0xBF}},
               {0x800, 0xFFFF, {0xE0, 0x80, 0x80}, {0xEF, 0xBF, 0xBF}},
               {0x10000, LAST_CHAR, {0xF0, 0x80, 0x80, 0x80}, {0xF4, 0xBF, 0xBF, 0xBF}}};

static void encode(uint32_t c, int bytes, uint8_t *out) {
    static const uint8_t mark[] = {0, 0xC0, 0xE0, 0xF0};
    for (int i = bytes - 1; i > 0; i--, c >>= 6) out[i] = (uint8_t)(0x80 | (c & 63));
    out[0] = (uint8_t)(mark[bytes - 1] | c);
}

static void add_utf8(ExprStore *s, Parts *parts, CharRange r) {
    for (int n = 0; n < 4; n++) {
        uint32_t first = r.first > lengths[n].first ? r.first : lengths[n].first;
        uint32_t last = r.last < lengths[n].last ? r.last : lengths[n].last;
        uint8_t low[4] = {0}, high[4] = {0};
        if (first > last) continue;
        Places places = {n + 1, lengths[n].least, lengths[n].most, write_byte};
        encode(first, n + 1, low);
        encode(last, n + 1, high);
        add_part(parts, between(s, &places, 0, low, high));
    }
}

Expr charset_utf8(ExprStore *store, const CharSet *set) {
    Parts parts = {0};
    for (size_t i = 0; i < set->count; i++) add_utf8(store, &parts, set->range[i]);
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

/* \u0000 to \uFFFF, or a pair of surrogates. */
static void add_hex(ExprStore *s, Parts *parts, CharRange r) {
    static const uint8_t least[8] = {0}, most[4] = {15, 15, 15, 15};
    static const uint8_t pair_least[8] = {13, 8, 0, 0, 13, 12, 0, 0};
    static const uint8_t pair_most[8] = {13, 11, 15, 15, 13, 15, 15, 15};
    uint8_t low[8], high[8];
    if (r.first <= 0xFFFF) {
        Places places = {4, least, most, write_hex};
        hex_digits(r.first, low);
        hex_digits(r.last < 0xFFFF ? r.last : 0xFFFF, high);
        add_part(parts, between(s, &places, 0, low, high));
    }
    if (r.last > 0xFFFF) {
        Places places = {8, pair_least, pair_most, write_hex};
        uint32_t first = (r.first > 0xFFFF ? r.first : 0x10000) - 0x10000;
        uint32_t last = r.last - 0x10000;
        hex_digits(0xD800 + (first >> 10), low), hex_digits(0xDC00 + (first & 1023), low + 4);
        hex_digits(0xD800 + (last >> 10), high), hex_digits(0xDC00 + (last & 1023), high + 4);
        add_part(parts, between(s, &places, 0, low, high));
    }
}

static bool has(const CharSet *set, uint32_t c) {
    for (size_t i = 0; i < set->count; i++)
        if (c >= set->range[i].first && c <= set->range[i].last) return true;
    return false;
}

/* The letter after the backslash of each short escape, and what it stands for. */
static const char escape_letters[] = "\"\\/bfnrt";
static const char escaped[] = "\"\\/\b\f\n\r\t";

static void add_short(ExprStore *s, Parts *parts, const CharSet *set) {
    ByteSet letters = {{0}};
    bool any = false;
    for (int i = 0; escaped[i]; i++)
        if (has(set, (uint8_t)escaped[i]))
            byte_set_add(&letters, (uint8_t)escape_letters[i]), any = true;
    if (any) add_part(parts, expr_cat(s, expr_byte(s, '\\'), expr_bytes(s, &letters)));
}

/* The part of the set that may stand in a string as it is. */
static CharSet plain_part(const CharSet *set) {
    static const CharRange plain[] = {{0x20, 0x21}, {0x23, 0x5B}, {0x5D, LAST_CHAR}};
    CharSet out = {0};
    for (size_t i = 0; i < set->count; i++)
        for (int k = 0; k < 3; k++) {
            CharRange r = set->range[i];
            if (r.first < plain[k].first) r.first = plain[k].first;
            if (r.last > plain[k].last) r.last = plain[k].last;
            if (r.first <= r.last) charset_add(&out, r.first, r.last);
        }
    charset_tidy(&out);
    return out;
}

Expr charset_json(ExprStore *store, const CharSet *set) {
    Parts parts = {0};
    CharSet plain = plain_part(set);
    add_part(&parts, charset_utf8(store, &plain));
    charset_free(&plain);
    add_short(store, &parts, set);
    for (size_t i = 0; i < set->count; i++) add_hex(store, &parts, set->range[i]);
    return join_parts(store, &parts);
}

Expr char_utf8(ExprStore *store, uint32_t c) {
    CharRange one = {c, c};
    CharSet set = {&one, 1, 1};
    return charset_utf8(store, &set);
}

Expr char_json(ExprStore *store, uint32_t c) {
    CharRange one = {c, c};
    CharSet set = {&one, 1, 1};
    return charset_json(store, &set);
}
