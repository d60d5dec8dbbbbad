/* todo.c - see todo.h. */
#include "todo.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

void exercise_todo(const char *number) {
    fprintf(stderr, "exercise %s: not written yet\n", number);
    fflush(NULL);
    _exit(77);
}

/* The desk's limit: so many seconds of computing (SIGXCPU), and three times as long by the
 * clock for threads that wait for each other (SIGALRM). */
__attribute__((constructor)) static void limit_time(void) {
    const char *text = getenv("GRADE_SECONDS");
    rlim_t seconds = text ? (rlim_t)atoi(text) : 0;
    if (!seconds) return;
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 5});
    alarm(3 * (unsigned)seconds);
}
