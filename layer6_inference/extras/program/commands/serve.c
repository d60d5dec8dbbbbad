/* serve.c - strata serve: starts the program beside this one that does it.
 *
 * strata itself needs nothing but the system's libraries; a server speaks HTTP by GNU libmicrohttpd, and is built
 * where that one is. */
#include "compute.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int run(int argc, char **argv) {
    char path[2400];
    Fault fault;
    (void)argc;
    if (!program_folder(path, sizeof path - 32)) {
        fault_set(&fault, "serve: the folder of this program is unknown");
        return command_failed(&fault);
    }
    strcat(path, "strata-serve");
    execv(path, argv);
    if (errno == ENOENT)
        fault_set(&fault,
                  "this strata was built without its server, which needs libmicrohttpd: "
                  "install it (make deps; apt-get install libmicrohttpd-dev, brew "
                  "install libmicrohttpd) and run make again");
    else
        fault_set(&fault, "serve: %.200s cannot be started: %s", path, strerror(errno));
    return command_failed(&fault);
}

const Command command_serve = {
    .name = "serve", .gloss = "answer requests over HTTP, as OpenAI's API does", .run = run};
