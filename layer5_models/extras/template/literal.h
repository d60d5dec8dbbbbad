/* literal.h - what stands for itself in an expression: "text", 12, 1.5e3. */
#ifndef STRATA_TEMPLATE_LITERAL_H
#define STRATA_TEMPLATE_LITERAL_H

#include "value.h"

/* The literal at the start of a text, and its size there; size 0: there is none (or it has no
 * end).
 *
 *   real   a point may be part of the number (not in x.0.1) */
Value literal_string(Machine *machine, Text text, size_t *size);
Value literal_number(Machine *machine, Text text, bool real, size_t *size);

#endif
