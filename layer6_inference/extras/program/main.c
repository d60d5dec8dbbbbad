/* main.c - every program of strata: help, or a command. */
#include "commands.h"
#include "input.h"
#include "on_machines.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* If fd 0, 1 or 2 is closed, open /dev/null there, so that no file we open later gets that
 * number. */
static void hold_streams(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static int nothing_done_with(const char *word, const char *usage) {
    fprintf(stderr, "strata: unexpected argument '%.60s'; usage: strata %s\n", word, usage);
    return EXIT_USAGE;
}

static int print_version(int argc, char **argv) {
    if (argc) return nothing_done_with(argv[0], "--version");
    printf("strata %s, %s\n", strata_version(), kernels_isa());
    return EXIT_DONE;
}

/* strata help [--all] NAME ... is strata NAME ... --help, or --help=all. */
static int run_help(int argc, char **argv) {
    static char brief[] = "--help", whole[] = "--help=all";
    char *asked[] = {NULL, NULL, NULL, NULL};
    int n = 0;
    bool all = false;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0 || strcmp(argv[i], "-a") == 0)
            all = true;
        else if (n < 2)
            asked[n++] = argv[i];
        else
            return nothing_done_with(argv[i], "help [--all] COMMAND");
    }
    if (n == 0) return (all ? commands_all : commands_brief)(stdout), EXIT_DONE;
    if (strcmp(asked[0], "help") == 0) return commands_help(), EXIT_DONE;
    if (!command_find(asked[0]) && commands_of(asked[0])) return EXIT_DONE;
    const CommandName *command = command_find(asked[0]);
    if (!command) return command_unknown(asked[0]);
    asked[n++] = all ? whole : brief;
    return command_start(command, n, asked);
}

/* An option in place of a command.  Returns -1, or an exit status. */
static int run_option(int argc, char **argv) {
    const char *word = argv[1];
    if (strcmp(word, "--help=words") == 0) return commands_words(argc - 2, argv + 2);
    if (strcmp(word, "--help=man") == 0) return commands_man(), EXIT_DONE;
    if (strcmp(word, "--help=all") == 0) return commands_all(stdout), EXIT_DONE;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return run_help(argc - 2, argv + 2);
    return -1;
}

/* The command that the program is called by: strata-chat, or chat, as strata starts it. */
static const Command *called_by(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return command_here(strncmp(name, "strata-", 7) == 0 ? name + 7 : name);
}

static int run_program(int argc, char **argv) {
    Fault fault;
    const Command *called = argc ? called_by(argv[0]) : NULL;
    if (called)
        return kernels_select(NULL, &fault) ? command_run_on_machines(called, argc, argv)
                                            : command_failed(&fault);
    if (argc < 2) return commands_brief(stderr), EXIT_USAGE;
    const char *name = argv[1];
    int status = run_option(argc, argv);
    if (status >= 0) return status;
    if (!kernels_select(NULL, &fault)) return command_failed(&fault);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 ||
        strcmp(name, "version") == 0)
        return print_version(argc - 2, argv + 2);
    if (strcmp(name, "help") == 0) return run_help(argc - 2, argv + 2);
    const CommandName *command = command_find(name);
    if (command) return command_start(command, argc - 1, argv + 1);
    return machines_first() ? command_unknown(name) : EXIT_USAGE;
}

/* Remove partial files before a signal ends the program.  A file over the size limit is a
 * write error. */
static void on_end(int number) {
    file_drop_all();
    signal(number, SIG_DFL);
    raise(number);
}

/* A mapped file was truncated, or its disk is gone. */
static void on_lost_file(int number) {
    static const char text[] =
        "strata: a file became shorter, or its disk failed, while it was "
        "read: put the file back and try again\n";
    (void)number;
    file_drop_all();
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(EXIT_FAILED);
}

static void hold_signals(void) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (signal(ends[i], on_end) == SIG_IGN) signal(ends[i], SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGBUS, on_lost_file);
}

/* Text that was not delivered is a failure, whatever the command thought. */
int main(int argc, char **argv) {
    hold_streams();
    hold_signals();
    int status = run_program(argc, argv);
    Fault fault;
    return output_arrived(&fault) || status != EXIT_DONE ? status : command_failed(&fault);
}
