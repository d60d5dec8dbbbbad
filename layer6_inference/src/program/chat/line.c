/* line.c - a line from a terminal or a file.  See talk.h. */
#include "talk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *one_line(const Talk *talk, const char *prompt) {
    char *line = NULL;
    size_t room = 0;
    if (talk->terminal) fputs(prompt, stdout), fflush(stdout);
    errno = 0;
    ssize_t size = getline(&line, &room, stdin);
    if (size < 0) {
        bool interrupted = errno == EINTR;
        free(line);
        clearerr(stdin);
        return interrupted ? putchar('\n'), strdup("") : NULL;
    }
    if (size && line[size - 1] == '\n') line[size - 1] = 0;
    return line;
}

/* A line that ends in a backslash goes on in the next. */
char *talk_line(const Talk *talk) {
    char *line = one_line(talk, "> ");
    for (size_t size; line && (size = strlen(line)) > 0 && line[size - 1] == '\\';) {
        char *more = one_line(talk, "  "), *both;
        line[size - 1] = '\n';
        both = more ? realloc(line, size + strlen(more) + 1) : NULL;
        if (!both) return free(more), line;
        line = strcat(both, more);
        free(more);
    }
    return line;
}
