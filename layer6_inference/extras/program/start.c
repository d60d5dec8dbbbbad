/* start.c - finding and starting the program of a command. */
#include "commands.h"
#include "compute.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int program_missing(const CommandName *name) {
    Fault fault;
    if (strcmp(name->name, "serve") == 0)
        fault_set(&fault, "built without the server, which needs libmicrohttpd: install it "
                          "(make deps, apt-get install libmicrohttpd-dev or brew install "
                          "libmicrohttpd) and run make again");
    else
        fault_set(&fault,
                  "strata %s needs the program %s, which is neither beside this one nor in "
                  "PATH: make builds both, make install installs both",
                  name->name, name->program);
    return command_failed(&fault);
}

/* Beside this program, where an installation keeps such programs, in PATH. */
int program_start(const CommandName *name, char **argv) {
    static const char *const folders[] = {"", "../libexec/strata/"};
    const char *program = name->program ? name->program : "strata";
    char path[2400], folder[2300];
    bool known = program_folder(folder, sizeof folder);
    fflush(stdout);
    for (size_t i = 0; known && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s%s", folder, folders[i], program);
        execv(path, argv);
        if (errno == ENOENT || errno == ENOTDIR) continue;
        Fault fault;
        fault_set(&fault, "%s: %.200s cannot be started: %s", name->name, path,
                  strerror(errno));
        return command_failed(&fault);
    }
    execvp(program, argv);
    if (errno == ENOENT || errno == ENOTDIR) return program_missing(name);
    Fault fault;
    fault_set(&fault, "%s: %s in PATH cannot be started: %s", name->name, program,
              strerror(errno));
    return command_failed(&fault);
}
