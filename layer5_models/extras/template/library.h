/* library.h - the functions of templates: filters, tests, methods, globals, each in a table.
 *
 * Invariant: a function gets its arguments bound to its row's names; omitted ones are MISSING,
 * unknown ones are refused before the call. */
#ifndef STRATA_TEMPLATE_LIBRARY_H
#define STRATA_TEMPLATE_LIBRARY_H

#include "print.h"
#include "run.h"

Value call_filter(Machine *machine, Text name, Value self, Arguments arguments);
bool call_test(Machine *machine, Text name, Value self, Arguments arguments);
bool filter_exists(Text name);
bool test_exists(Text name);

const Builtin *find_global(Text name); /* NULL: none */

/* A method bound to its value; MISSING: none.  Mutating methods exist only to be refused. */
Value find_method(Machine *machine, Value of, const String *name);

/* The tables; the last row has no name. */
extern const Builtin filters_of_text[], filters_of_lists[], methods_of_strings[];

/* ------------------------------------------------------------------ arguments */

bool is_given(Value argument);
/* "" and an error if it is not a string */
const String *want_string(Machine *machine, Value argument);
int64_t want_int(Machine *machine, Value argument, int64_t absent);
const String *string_or(Machine *machine, Value argument, const char *absent);

/* The value of a path `name` or `a.b.0`. */
Value follow_path(Machine *machine, Value from, Value path);

/* ------------------------------------------------------------------ letters */

typedef enum Case { CASE_UPPER, CASE_LOWER, CASE_TITLE, CASE_CAPITAL, CASE_SWAP } Case;

const String *string_case(Machine *machine, const String *string, Case to);

/* Strip a set of characters (NULL: white space) on the left or right. */
const String *string_strip(Machine *machine, const String *string, const String *set, bool left,
                           bool right);

/* Replace every `old` by `new`, at most `count` times (-1: all). */
const String *string_replace(Machine *machine, const String *string, const String *old,
                             const String *with, int64_t count);

#endif
