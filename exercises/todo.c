/* todo.c - see todo.h. */
#include "todo.h"

#include <stdio.h>
#include <unistd.h>

void exercise_todo(const char *number) {
    fprintf(stderr, "exercise %s: not written yet\n", number);
    fflush(NULL);
    _exit(77);
}
