/* judge.c - runs the learner's program and compares what it prints.  See judge.h.
 *
 *     judge CHAPTER FOLDER SEED COMMAND */
#include "judge.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *folder, *program;
static uint64_t seed, draws;
static double limit =
    20; /* seconds of computing, over all threads; four times as much by the clock */

double judge_uniform(void) {
    return (double)(rng_hash(seed, 17, draws++) >> 11) / 9007199254740992.0;
}
int judge_between(int low, int high) { return low + (int)(judge_uniform() * (high - low + 1)); }
double judge_normal(void) {
    double radius = sqrt(-2 * log(1 - judge_uniform()));
    return radius * cos(6.283185307179586 * judge_uniform());
}
void judge_fill(double *x, size_t n, double deviation) {
    /* as they will be printed, so that both sides have the same */
    for (size_t i = 0; i < n; i++) x[i] = round(judge_normal() * deviation * 1e4) / 1e4;
}

const char *judge_path(const char *name) {
    static char paths[4][512];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

FILE *judge_input(const char *name) {
    FILE *file = fopen(judge_path(name), "wb");
    need(file, "%s cannot be written", judge_path(name));
    return file;
}

void judge_numbers(FILE *in, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++) fprintf(in, "%.4f%c", x[i], i % 8 == 7 ? '\n' : ' ');
    fputc('\n', in);
}

void refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("  hint: ");
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    exit(1);
}

void judge_limit(double seconds) {
    const char *given = getenv("MINE_LIMIT");
    limit = given && atof(given) > 0 ? atof(given) : seconds;
}

/* Wait for the program, and end it and all it started when it takes too long. */
static int wait_for(pid_t child) {
    int status = 0;
    struct timespec nap = {0, 5000000}, begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (waitpid(child, &status, WNOHANG) == 0) {
        nanosleep(&nap, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((double)(now.tv_sec - begin.tv_sec) < 4 * limit + 20) continue;
        kill(-child, SIGKILL);
        waitpid(child, &status, 0);
        return -1;
    }
    return status;
}

static int start(const char *command, const char *out) {
    fflush(stdout);
    pid_t child = fork();
    need(child >= 0, "cannot start a process");
    if (child == 0) {
        struct rlimit most = {(rlim_t)limit + 1, (rlim_t)limit + 2};
        setpgid(0, 0);
        setrlimit(RLIMIT_CPU, &most);
        if (!freopen(judge_path("in"), "rb", stdin) || !freopen(out, "wb", stdout) ||
            !freopen(judge_path("errors"), "wb", stderr))
            _exit(126);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return wait_for(child);
}

static Reply read_reply(const char *path) {
    Reply r = {0};
    FILE *file = fopen(path, "rb");
    for (size_t more = 1; file && more; r.size += more) {
        r.text = realloc(r.text, r.size + 65537);
        need(r.text, "no memory for what the program printed");
        more = fread(r.text + r.size, 1, 65536, file);
    }
    need(file, "%s cannot be read", path);
    fclose(file);
    r.text[r.size] = 0;
    r.numbers = malloc((r.size / 2 + 2) * sizeof *r.numbers);
    need(r.numbers, "no memory for what the program printed");
    for (char *at = r.text, *end; *at; at = end) {
        double value = strtod(at, &end);
        if (end == at)
            end += strcspn(at, " \t\r\n"), end += strspn(end, " \t\r\n");
        else
            r.numbers[r.n++] = value;
        if (end == at) break;
    }
    return r;
}

Reply judge_command(const char *command, int *status) {
    *status = start(command, judge_path("out"));
    return read_reply(judge_path("out"));
}

Reply ask(const char *format, ...) {
    char command[2048];
    int used = snprintf(command, sizeof command, "%s ", program), status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, arguments);
    va_end(arguments);
    Reply r = judge_command(command, &status);
    if (status == 0) return r;
    if (status == -1 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) ||
        (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGXCPU))
        refuse("`%s` was not done after %.0f seconds: a loop that never ends?", command, limit);
    Reply errors = read_reply(judge_path("errors"));
    if (errors.size > 300) errors.text[300] = 0;
    refuse("`%s < %s` ended with status %d%s%s", command, judge_path("in"),
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           errors.size ? " and said: " : "", errors.text);
}

bool alike(const double *got, const double *want, size_t n) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(want[i]));
    for (size_t i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= 2e-3 * largest + 1e-6)) return false;
    return true;
}

double named(Reply reply, const char *word) {
    const char *at = strstr(reply.text, word);
    return at ? strtod(at + strlen(word), NULL) : (double)NAN;
}

void judge_stories(FILE *out, uint64_t first, int documents) {
    Fault fault;
    World *world = world_open(&fault);
    WorldText text = {0};
    need(world, "%s", fault.text);
    for (int i = 0; i < documents; i++) {
        world_write(world, "tale", seed | 1, first + (uint64_t)i, &text);
        fprintf(out, "%s\n<|endoftext|>\n", text.bytes);
    }
    world_text_free(&text);
    world_close(world);
}

int main(int argc, char **argv) {
    static void (*const chapters[])(void) = {
        chapter_bytes, chapter_bigram,    chapter_pairs, chapter_neuron,   chapter_next,
        chapter_table, chapter_attention, chapter_block, chapter_gradient, chapter_adamw,
        chapter_train, chapter_generate,  chapter_story};
    int chapter = argc == 5 ? atoi(argv[1]) : 0;
    if (chapter < 1 || chapter > 13) {
        fprintf(stderr, "usage: judge CHAPTER FOLDER SEED COMMAND\n");
        return 2;
    }
    folder = argv[2], seed = strtoull(argv[3], NULL, 10), program = argv[4];
    judge_limit(20);
    fclose(judge_input("in"));
    chapters[chapter - 1]();
    return 0;
}
