/* line.c - a line from a terminal or a file.  See talk.h. */
#include "talk.h"
#include "json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *line_alone(const Talk *talk, const char *prompt, size_t *used) {
    char *line = NULL;
    size_t room = 0;
    if (talk->editor) return editor_line(talk->editor, prompt, used);
    if (talk->terminal) fputs(prompt, stdout), fflush(stdout);
    errno = 0, *used = 0;
    ssize_t size = getline(&line, &room, stdin);
    if (size < 0) {
        bool interrupted = errno == EINTR;
        NEED_MEMORY(errno != ENOMEM, "a line of text");
        free(line);
        if (interrupted) clearerr(stdin);
        return interrupted ? putchar('\n'), strdup("") : NULL;
    }
    if (size && line[size - 1] == '\n') line[--size] = 0;
    if (size && line[size - 1] == '\r') line[--size] = 0;
    *used = (size_t)size;
    return line;
}

/* A line that ends in a backslash continues on the next. */
char *talk_line(const Talk *talk, size_t *size) {
    char prompt[80] = "> ";
    if (talk_waits(talk)) {
        Text name = json_get(talk_call(talk, talk->count - 1), "name")->text;
        snprintf(prompt, sizeof prompt, "%.*s: ", (int)min_size(name.size, 64), name.data);
    }
    char *line = line_alone(talk, prompt, size);
    while (line && *size && line[*size - 1] == '\\') {
        size_t more_size;
        char *more = line_alone(talk, "  ", &more_size), *both;
        line[*size - 1] = '\n';
        both = more ? realloc(line, *size + more_size + 1) : NULL;
        NEED_MEMORY(both || !more, "%zu bytes of text", *size + more_size);
        if (!both) return line;
        line = both;
        memcpy(line + *size, more, more_size + 1);
        *size += more_size;
        free(more);
    }
    return line;
}
