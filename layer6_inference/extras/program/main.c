/* main.c - the program `strata`: a list of commands. */
#include "options.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const Command *const commands[] = {
    &command_generate, &command_diffuse,  &command_chat,       &command_serve,
    &command_tokenize, &command_template, &command_logits,     &command_embed,
    &command_rerank,   &command_inspect,  &command_chain,      &command_samplers,
    &command_compare,  &command_figure,   &command_look,       &command_dump,
    &command_quantize, &command_convert,  &command_perplexity, &command_watermark,
    &command_grammar,  &command_world,    &command_train,      &command_bench,
    &command_simulate, &command_profile};

static void print_commands(FILE *out) {
    fprintf(out, "usage: strata COMMAND ...\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->gloss);
    fprintf(out, "\nstrata COMMAND --help says more about one of them, strata --version what "
                 "this is.\n");
}

/* A standard stream that is closed stays useless: else the next file that is opened would take its
 * place, and text would go into it. */
static void hold_streams(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_commands(stderr);
        return EXIT_USAGE;
    }
    bool help = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (help && argc == 2)) {
        print_commands(stdout);
        return EXIT_DONE;
    }
    Fault fault;
    if (help && argc > 3) {
        fprintf(stderr, "strata: nothing is done with '%.60s'; usage: strata help COMMAND\n",
                argv[3]);
        return EXIT_USAGE;
    }
    if (!kernels_select(NULL, &fault)) return command_failed(&fault);
    if (strcmp(argv[1], "--version") == 0) {
        printf("strata %s, %s\n", strata_version(), kernels_isa());
        return EXIT_DONE;
    }
    const char *name = argv[help ? 2 : 1]; /* strata help NAME is strata NAME --help */
    char *asked[] = {(char *)name, "--help", NULL};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return help ? commands[i]->run(2, asked) : commands[i]->run(argc - 1, argv + 1);
    fprintf(stderr, "strata: no command '%s'\n\n", name);
    print_commands(stderr);
    return EXIT_USAGE;
}

/* What ends the program leaves no halves of files behind.  Too large a file is an error of the write. */
static void on_end(int number) {
    file_drop_all();
    signal(number, SIG_DFL);
    raise(number);
}

static void hold_signals(void) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (signal(ends[i], on_end) == SIG_IGN) signal(ends[i], SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* Text that was not delivered is a failure, whatever the command thought. */
int main(int argc, char **argv) {
    hold_streams();
    hold_signals();
    int status = run(argc, argv);
    bool lost = ferror(stdout) != 0;
    lost = fflush(stdout) != 0 || lost;
    if (!lost || status != EXIT_DONE) return status;
    fprintf(stderr,
            "strata: standard output did not take everything: the disk is full or it is "
            "closed\n");
    return EXIT_FAILED;
}
