/* line.c - a line from a terminal or a file: through the machine's line editor where the program was built with
 * one (STRATA_EDIT names its header), else as it comes.  See talk.h. */
#include "talk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef STRATA_EDIT
#include STRATA_EDIT

static char *edited_line(const char *prompt) {
    char *line = readline(prompt);
    if (line && *line) add_history(line);
    return line;
}
#else
static char *edited_line(const char *prompt) {
    (void)prompt;
    return NULL;
}
#endif

static char *plain_line(const Talk *talk, const char *prompt) {
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

static char *one_line(const Talk *talk, const char *prompt) {
#ifdef STRATA_EDIT
    if (talk->terminal) return edited_line(prompt);
#else
    (void)edited_line;
#endif
    return plain_line(talk, prompt);
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
