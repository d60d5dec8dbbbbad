/* letters.c - upper and lower case, and stripping strings. */
#include "library.h"

#include "unicode.h"
#include "unicode_case.h"

#include <string.h>

static void build_case(Machine *machine, Builder *builder, uint32_t c, LetterCase to,
                       bool user) {
    const char *several = unicode_cased_long(c, to);
    char bytes[4];
    size_t before = builder->size;
    if (several)
        build_text(machine, builder, several);
    else
        build_bytes(machine, builder, bytes, NULL, utf8_encode(unicode_cased(c, to), bytes));
    if (user && builder->size > before)
        memset(builder->user + before, 1, builder->size - before);
}

const String *string_case(Machine *machine, const String *s, Case to) {
    Builder builder = {0};
    bool begins = true;
    machine_work(machine, s->size / 16);
    for (size_t at = 0, taken; at < s->size && !machine->failed; at += taken) {
        uint32_t c = utf8_decode(s->data + at, s->size - at, &taken);
        bool is_upper = unicode_cased(c, LOWER_CASE) != c;
        bool upper = to == CASE_UPPER || (to == CASE_SWAP && !is_upper) ||
                     ((to == CASE_TITLE || to == CASE_CAPITAL) && begins);
        if (c == 0xFFFD && taken == 1)
            build_bytes(machine, &builder, s->data + at, s->user ? s->user + at : NULL, 1);
        else
            build_case(machine, &builder, c, upper ? UPPER_CASE : LOWER_CASE,
                       s->user && s->user[at]);
        begins = to == CASE_TITLE && !is_upper && unicode_cased(c, UPPER_CASE) == c;
    }
    return build_end(machine, &builder);
}

/* ------------------------------------------------------------------ ends */

static bool in_set(const String *set, const char *bytes, size_t size) {
    if (!set) {
        size_t taken;
        uint32_t c = utf8_decode(bytes, size, &taken);
        return unicode_is_space(c) || (c >= 0x1C && c <= 0x1F);
    }
    for (size_t at = 0, taken; at < set->size; at += taken) {
        utf8_decode(set->data + at, set->size - at, &taken);
        if (taken == size && memcmp(set->data + at, bytes, size) == 0) return true;
    }
    return false;
}

const String *string_strip(Machine *machine, const String *s, const String *set, bool left,
                           bool right) {
    size_t from = 0, to = s->size, taken;
    machine_work(machine, s->size / 64);
    while (left && from < to) {
        utf8_decode(s->data + from, to - from, &taken);
        if (!in_set(set, s->data + from, taken)) break;
        from += taken;
    }
    while (right && to > from) {
        size_t at = to - 1;
        while (at > from && to - at < 4 && ((unsigned char)s->data[at] & 0xC0) == 0x80) at--;
        utf8_decode(s->data + at, to - at, &taken);
        if (at + taken != to) at = to - 1; /* invalid bytes, one by one */
        if (!in_set(set, s->data + at, to - at)) break;
        to = at;
    }
    return string_slice(machine, s, from, to);
}

const String *string_replace(Machine *machine, const String *s, const String *old,
                             const String *with, int64_t count) {
    Builder builder = {0};
    size_t at = 0;
    for (; count != 0 && machine_work(machine, 1); count--) {
        size_t found = string_find(machine, s, old, at), taken = old->size;
        if (found == NOWHERE) break;
        build_string(machine, &builder, string_slice(machine, s, at, found));
        build_string(machine, &builder, with);
        if (old->size == 0) { /* between any two characters */
            if (found == s->size) return build_end(machine, &builder);
            utf8_decode(s->data + found, s->size - found, &taken);
            build_string(machine, &builder, string_slice(machine, s, found, found + taken));
        }
        at = found + taken;
    }
    build_string(machine, &builder, string_slice(machine, s, at, s->size));
    return build_end(machine, &builder);
}
