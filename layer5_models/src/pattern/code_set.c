/* code_set.c - see code_set.h. */
#include "code_set.h"
#include "grow.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

void code_set_free(CodeSet *set) {
    free(set->ranges);
    *set = (CodeSet){0};
}

static bool code_set_grow(CodeSet *set) {
    bool ok = GROW(set->ranges, set->capacity, set->count + 1);
    if (!ok) set->failed = true;
    return ok;
}

static size_t code_set_place(const CodeSet *set, uint32_t code) {
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (set->ranges[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void code_set_add(CodeSet *set, uint32_t first, uint32_t last) {
    size_t from = code_set_place(set, first ? first - 1 : 0), to = from;
    for (; to < set->count && set->ranges[to].first <= last + 1; to++) {
        if (set->ranges[to].first < first) first = set->ranges[to].first;
        if (set->ranges[to].last > last) last = set->ranges[to].last;
    }
    if (to == from && !code_set_grow(set)) return;
    memmove(set->ranges + from + 1, set->ranges + to, (set->count - to) * sizeof *set->ranges);
    set->ranges[from] = (CodeRange){first, last};
    set->count += from + 1 - to;
}

void code_set_join(CodeSet *set, const CodeSet *other) {
    for (size_t i = 0; i < other->count; i++)
        code_set_add(set, other->ranges[i].first, other->ranges[i].last);
    set->failed = set->failed || other->failed;
}

void code_set_invert(CodeSet *set) {
    CodeSet rest = {.failed = set->failed};
    uint32_t from = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (set->ranges[i].first > from) code_set_add(&rest, from, set->ranges[i].first - 1);
        from = set->ranges[i].last + 1;
    }
    if (from <= LAST_CODE) code_set_add(&rest, from, LAST_CODE);
    code_set_free(set);
    *set = rest;
}

/* not (not a or not b) */
void code_set_meet(CodeSet *set, const CodeSet *other) {
    CodeSet outside = {0};
    code_set_join(&outside, other);
    code_set_invert(&outside);
    code_set_invert(set);
    code_set_join(set, &outside);
    code_set_invert(set);
    code_set_free(&outside);
}

void code_set_categories(CodeSet *set, unsigned wanted, uint32_t from) {
    for (size_t row = 0; row < unicode_range_count(); row++) {
        UnicodeRange range = unicode_range(row);
        if (range.last < from || !(wanted >> range.category & 1)) continue;
        code_set_add(set, range.first < from ? from : range.first, range.last);
    }
}

void code_set_spaces(CodeSet *set, uint32_t from) {
    if (from == 0) code_set_add(set, '\t', '\r');
    code_set_add(set, 0x85, 0x85);
    code_set_categories(set, 1u << UNICODE_SEPARATOR, from);
}

bool code_set_has(const CodeSet *set, uint32_t code) {
    size_t i = code_set_place(set, code);
    return i < set->count && set->ranges[i].first <= code;
}

bool code_set_equal(const CodeSet *a, const CodeSet *b) {
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->ranges, b->ranges, a->count * sizeof *a->ranges) == 0);
}
