/* letters.c - large and small letters, and what is cut from a string's ends. */
#include "library.h"

#include "unicode.h"

#include <string.h>

typedef struct CaseRange {
    uint32_t first, last, step; /* every step-th letter from first to last ... */
    int32_t to;                 /* ... has its partner this far away */
} CaseRange;

typedef struct CaseSpecial {
    uint32_t from;
    const char *to;
} CaseSpecial;

#include "case_table.h"

static uint32_t in_ranges(const CaseRange *ranges, size_t count, uint32_t c) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || c < ranges[low].first || (c - ranges[low].first) % ranges[low].step)
        return c;
    return (uint32_t)((int32_t)c + ranges[low].to);
}

static const char *in_specials(const CaseSpecial *specials, size_t count, uint32_t c) {
    for (size_t i = 0; i < count; i++)
        if (specials[i].from == c) return specials[i].to;
    return NULL;
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* A character as a large or a small letter; some become two or three. */
static void build_case(Machine *machine, Builder *builder, uint32_t c, bool upper, bool user) {
    const char *special = upper ? in_specials(upper_specials, COUNT(upper_specials), c)
                                : in_specials(lower_specials, COUNT(lower_specials), c);
    char bytes[4];
    size_t before = builder->size;
    uint32_t other = upper ? in_ranges(upper_ranges, COUNT(upper_ranges), c)
                           : in_ranges(lower_ranges, COUNT(lower_ranges), c);
    if (special)
        build_text(machine, builder, special);
    else
        build_bytes(machine, builder, bytes, NULL, utf8_encode(other, bytes));
    if (user && builder->size > before)
        memset(builder->user + before, 1, builder->size - before);
}

static bool has_case(uint32_t c) {
    return in_ranges(upper_ranges, COUNT(upper_ranges), c) != c ||
           in_ranges(lower_ranges, COUNT(lower_ranges), c) != c;
}

const String *string_case(Machine *machine, const String *s, Case to) {
    Builder builder = {0};
    bool begins = true;
    machine_work(machine, s->size / 16);
    for (size_t at = 0, taken; at < s->size && !machine->failed; at += taken) {
        uint32_t c = utf8_decode(s->data + at, s->size - at, &taken);
        bool is_upper = in_ranges(lower_ranges, COUNT(lower_ranges), c) != c;
        bool upper = to == CASE_UPPER || (to == CASE_SWAP && !is_upper) ||
                     ((to == CASE_TITLE || to == CASE_CAPITAL) && begins);
        if (c == 0xFFFD && taken == 1)
            build_bytes(machine, &builder, s->data + at, s->user ? s->user + at : NULL, 1);
        else
            build_case(machine, &builder, c, upper, s->user && s->user[at]);
        begins = to == CASE_TITLE && !has_case(c);
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
        if (at + taken != to) at = to - 1; /* bytes that are no character, one by one */
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
