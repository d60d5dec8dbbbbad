/* todo.h - what stands in for a body that is yours to write, and what such a body may need:
 * roots, exponentials, copies. */
#ifndef STRATA_TODO_H
#define STRATA_TODO_H

#include <math.h>
#include <string.h>

/* Say which exercise is not done yet, and end the program with status 77. */
_Noreturn void exercise_todo(const char *number);

#endif
