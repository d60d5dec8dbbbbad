/* code_set.h - sets of code points.
 *
 * Invariant: the ranges are sorted, none touches the next [ranges_are_sorted_and_apart]. */
#ifndef STRATA_CODE_SET_H
#define STRATA_CODE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAST_CODE = 0x10FFFF };

typedef struct CodeRange {
    uint32_t first, last;
} CodeRange;

typedef struct CodeSet {
    CodeRange *ranges; /* (count) owns */
    size_t count, capacity;
    bool failed; /* out of memory: the set is invalid */
} CodeSet;

void code_set_free(CodeSet *set);
void code_set_add(CodeSet *set, uint32_t first, uint32_t last);
void code_set_join(CodeSet *set, const CodeSet *other); /* union */
void code_set_invert(CodeSet *set);                     /* complement */
void code_set_meet(CodeSet *set, const CodeSet *other); /* intersection */
/* Add the code points of these categories, or all white space, from a code point on. */
void code_set_categories(CodeSet *set, unsigned wanted, uint32_t from);
void code_set_spaces(CodeSet *set, uint32_t from); /* from: 0, or 128 */
bool code_set_has(const CodeSet *set, uint32_t code);
bool code_set_equal(const CodeSet *a, const CodeSet *b);

#endif
