/* unicode_case.c - see unicode_case.h. */
#include "unicode_case.h"

#include <stddef.h>

typedef struct CaseRow {
    uint32_t first, last, step, to;
} CaseRow;

typedef struct CaseSpecial {
    uint32_t from;
    const char *to;
} CaseSpecial;

#include "case_table.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const CaseRow *case_row(const CaseRow *rows, size_t count, uint32_t code) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].first <= code)
            low = middle + 1;
        else
            high = middle;
    }
    const CaseRow *row = low ? &rows[low - 1] : NULL;
    return row && code <= row->last && (code - row->first) % row->step == 0 ? row : NULL;
}

uint32_t unicode_cased(uint32_t code, LetterCase to) {
    const CaseRow *row = to == UPPER_CASE ? case_row(upper_rows, COUNT(upper_rows), code)
                                          : case_row(lower_rows, COUNT(lower_rows), code);
    return row ? row->to + code - row->first : code;
}

const char *unicode_cased_long(uint32_t code, LetterCase to) {
    const CaseSpecial *specials = to == UPPER_CASE ? upper_specials : lower_specials;
    size_t count = to == UPPER_CASE ? COUNT(upper_specials) : COUNT(lower_specials);
    for (size_t i = 0; i < count; i++)
        if (specials[i].from == code) return specials[i].to;
    return NULL;
}

uint32_t unicode_lower(uint32_t code) {
    if (code < 128) return code >= 'A' && code <= 'Z' ? code | 32 : code;
    return code == 0x130 ? 'i' : unicode_cased(code, LOWER_CASE);
}

uint32_t unicode_base(uint32_t code) {
    if (code < 0xC0) return code;
    const CaseRow *row = case_row(base_rows, COUNT(base_rows), code);
    return row ? row->to : code;
}
