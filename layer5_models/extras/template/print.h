/* print.h - values as text, like Python's str and repr, and as JSON. */
#ifndef STRATA_TEMPLATE_PRINT_H
#define STRATA_TEMPLATE_PRINT_H

#include "value.h"

/* str(value): a string unchanged; undefined is empty. */
void build_str(Machine *machine, Builder *builder, Value value);
const String *value_str(Machine *machine, Value value);

/* repr(value): strings in quotes. */
void build_repr(Machine *machine, Builder *builder, Value value);

/* HTML escapes for <, >, &, ' and "; the result is safe. */
const String *string_escape(Machine *machine, const String *string);

/* Layout of tojson. */
typedef struct JsonStyle {
    bool ascii, sort;
    const String *indent, *comma, *colon; /* indent NULL: on one line */
} JsonStyle;

void build_json(Machine *machine, Builder *builder, Value value, const JsonStyle *style,
                int level);

#endif
