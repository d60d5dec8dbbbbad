/* operate.h - operators, as Python defines them. */
#ifndef STRATA_TEMPLATE_OPERATE_H
#define STRATA_TEMPLATE_OPERATE_H

#include "value.h"

/* a op b, where op is the operator's token: '+', TWO('*', '*'). */
Value operate(Machine *machine, int op, Value a, Value b);

/* -a, +a */
Value operate_sign(Machine *machine, int op, Value a);

/* One step of a comparison: '<', TWO('=', '='), 'i' for in, TWO('n', 'i') for not in. */
bool operate_compare(Machine *machine, int op, Value a, Value b);

/* "%s is %d" % (a, b) */
Value string_percent(Machine *machine, const String *format, Value arguments);

#endif
