/* literal.h - literals in an expression: "text", 12, 1.5e3. */
#ifndef STRATA_TEMPLATE_LITERAL_H
#define STRATA_TEMPLATE_LITERAL_H

#include "value.h"

/* The literal at the start of a text, and its size; size 0: none, or unterminated.
 *
 *   real   the number may have a point (not in x.0.1) */
Value literal_string(Machine *machine, Text text, size_t *size);
Value literal_number(Machine *machine, Text text, bool real, size_t *size);

#endif
