/* library.h - the functions a template finds: filters, tests, methods, globals, each in a
 * table.
 *
 * Invariant: a function gets its arguments bound to the names its row gives; those that are
 * left out are MISSING, those it does not know are refused before it is called. */
#ifndef STRATA_TEMPLATE_LIBRARY_H
#define STRATA_TEMPLATE_LIBRARY_H

#include "print.h"
#include "run.h"

Value call_filter(Machine *machine, Text name, Value self, Arguments arguments);
bool call_test(Machine *machine, Text name, Value self, Arguments arguments);
bool filter_exists(Text name);
bool test_exists(Text name);

const Builtin *find_global(Text name); /* NULL: none */

/* A method bound to its value; MISSING: none.  Of those that would change a value only the
 * absence is given. */
Value find_method(Machine *machine, Value of, const String *name);

/* The tables, each ended by a row without a name. */
extern const Builtin filters_of_text[], filters_of_lists[], filters_of_choice[];
extern const Builtin methods_of_strings[], methods_of_lists[], methods_of_dicts[],
    methods_of_loops[];

/* ------------------------------------------------------------------ arguments */

bool is_given(Value argument);
const String *want_string(Machine *machine, Value argument); /* "" and raised when it is none */
int64_t want_int(Machine *machine, Value argument, int64_t absent);
const String *string_or(Machine *machine, Value argument, const char *absent);

/* What `name` or `a.b.0` leads to from a value. */
Value follow_path(Machine *machine, Value from, Value path);

/* In a stable order; `key` of each item decides (same count). */
void sort_by(Machine *machine, List *items, List *keys, bool reverse);

/* A string without case, for comparisons; other values as they are. */
Value without_case(Machine *machine, Value value);

/* ------------------------------------------------------------------ letters */

typedef enum Case { CASE_UPPER, CASE_LOWER, CASE_TITLE, CASE_CAPITAL, CASE_SWAP } Case;

const String *string_case(Machine *machine, const String *string, Case to);

/* Without the characters of a set (NULL: white space) at its left, its right end. */
const String *string_strip(Machine *machine, const String *string, const String *set, bool left,
                           bool right);

/* Every `old` as `new`, at most `count` times (-1: all). */
const String *string_replace(Machine *machine, const String *string, const String *old,
                             const String *with, int64_t count);

#endif
