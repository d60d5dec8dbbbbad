/* tool_command.c - a program that answers calls: {"name": ..., "arguments": {...}} on its
 * standard input, the result on its standard output.  See talk.h.
 *
 * No shell reads anything: the program is started by its name alone, and what a model wrote
 * is nothing but its input. */
#include "talk.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RESULT_BYTES = 1 << 20 };

extern char **environ;

/* The call in a file without a name, at its beginning. */
static FILE *input_of(Text call) {
    FILE *file = tmpfile();
    bool ok = file && fwrite(call.data, 1, call.size, file) == call.size &&
              fputc('\n', file) != EOF && fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0;
    if (!ok && file) fclose(file);
    return ok ? file : NULL;
}

static bool tool_command_start(const char *program, int in, const int out[2], pid_t *child,
                               Fault *fault) {
    char *argv[] = {(char *)program, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    int error = posix_spawnp(child, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !error || fault_set(fault, "--tool-command '%.200s' cannot be run: %s", program,
                               strerror(error));
}

/* All that is printed, up to a limit and one byte more. */
static char *read_result(int from, size_t *size) {
    char *text = malloc(RESULT_BYTES + 2);
    *size = 0;
    while (text && *size <= RESULT_BYTES) {
        ssize_t got = read(from, text + *size, RESULT_BYTES + 1 - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        *size += (size_t)got;
    }
    return text;
}

static bool check_end(const char *program, int status, const char *result, size_t size,
                      Fault *fault) {
    if (!result) return fault_set(fault, "no memory for what '%.200s' prints", program);
    if (size > RESULT_BYTES)
        return fault_set(fault, "'%.200s' printed more than %d bytes: wanted a result", program,
                         RESULT_BYTES);
    if (WIFSIGNALED(status))
        return fault_set(fault, "'%.200s' was ended by signal %d", program, WTERMSIG(status));
    if (WEXITSTATUS(status))
        return fault_set(fault, "'%.200s' failed: its exit status is %d", program,
                         WEXITSTATUS(status));
    return !memchr(result, 0, size) ||
           fault_set(fault, "'%.200s' printed a zero byte: wanted text", program);
}

char *tool_command_run(const char *program, Text call, size_t *size, Fault *fault) {
    int out[2], status = 0;
    pid_t child;
    FILE *in = input_of(call);
    if (!in || pipe(out)) {
        if (in) fclose(in);
        return fault_set(fault, "a call cannot be passed on: %s", strerror(errno)), NULL;
    }
    fflush(stdout);
    bool started = tool_command_start(program, fileno(in), out, &child, fault);
    close(out[1]), fclose(in);
    char *result = started ? read_result(out[0], size) : NULL;
    close(out[0]);
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (!started || !check_end(program, status, result, *size, fault))
        return free(result), NULL;
    if (*size && result[*size - 1] == '\n') --*size;
    return result;
}
