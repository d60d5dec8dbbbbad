/* todo.h - what stands in for a body that is yours to write. */
#ifndef STRATA_TODO_H
#define STRATA_TODO_H

/* Say which exercise is not done yet, and end the program with status 77. */
_Noreturn void exercise_todo(const char *number);

#endif
