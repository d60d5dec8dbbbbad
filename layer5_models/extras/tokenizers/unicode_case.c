/* unicode_case.c - see unicode_case.h. */
#include "unicode_case.h"
#include "code_rows.h"

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

/* The row of a code, if it is one of those in steps from the first. */
static const CaseRow *in_steps(const CaseRow *row, uint32_t code) {
    return row && (code - row->first) % row->step == 0 ? row : NULL;
}

uint32_t unicode_cased(uint32_t code, LetterCase to) {
    const CaseRow *row = in_steps(
        to == UPPER_CASE ? CODE_ROW(upper_rows, code) : CODE_ROW(lower_rows, code), code);
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
    const CaseRow *row = in_steps(CODE_ROW(base_rows, code), code);
    return row ? row->to : code;
}
