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
static double limit = 20; /* seconds of computing; four times as much by the clock */
enum { MOST = 64 << 20 }; /* bytes of a file that the program may write */

uint64_t judge_seed(void) { return seed; }

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
    const char *given = getenv("JUDGE_LIMIT");
    limit = given && atof(given) > 0 ? atof(given) : seconds;
}

/* Threads of a process, where /proc tells. */
static int threads_of(pid_t child) {
    char path[64], line[128];
    int threads = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Threads: %d", &threads);
    if (file) fclose(file);
    return threads;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Wait for the program, and end it and all it started when it takes too long. */
static int wait_for(pid_t child, Reply *reply) {
    struct rusage used = {0};
    int status = 0;
    struct timespec nap = {0, 2000000};
    double begin = seconds_now();
    bool late = false;
    while (wait4(child, &status, WNOHANG, &used) == 0) {
        int threads = threads_of(child);
        if (threads > reply->threads) reply->threads = threads;
        nanosleep(&nap, NULL);
        if (seconds_now() - begin < 4 * limit + 20) continue;
        kill(-child, SIGKILL);
        wait4(child, &status, 0, &used);
        late = true;
        break;
    }
    reply->clock = seconds_now() - begin;
    reply->seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    kill(-child, SIGKILL); /* what it started and left behind */
    return late ? -1 : status;
}

/* The program replaces the shell, so that its threads and seconds are seen; but not where the
 * command is more than words. */
static void become(const char *command) {
    char line[2100];
    bool plain = !strpbrk(command, "&|;<>(){}$`=");
    snprintf(line, sizeof line, "%s%s", plain ? "exec " : "", command);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

static int start(const char *command, const char *out, Reply *reply) {
    fflush(stdout);
    pid_t child = fork();
    need(child >= 0, "cannot start a process");
    if (child == 0) {
        struct rlimit most = {(rlim_t)limit + 1, (rlim_t)limit + 2}, size = {MOST, MOST};
        setpgid(0, 0);
        setrlimit(RLIMIT_CPU, &most);
        if (!freopen(judge_path("in"), "rb", stdin) || !freopen(out, "wb", stdout) ||
            !freopen(judge_path("errors"), "wb", stderr))
            _exit(126);
        setrlimit(RLIMIT_FSIZE, &size);
        become(command);
    }
    return wait_for(child, reply);
}

static void read_reply(const char *path, Reply *reply) {
    Reply r = *reply;
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
    *reply = r;
}

Reply judge_command(const char *command, int *status) {
    Reply r = {0};
    *status = start(command, judge_path("out"), &r);
    read_reply(judge_path("out"), &r);
    return r;
}

Reply judge_strata(int *status, const char *format, ...) {
    char command[2048];
    const char *given = getenv("STRATA");
    int used = snprintf(command, sizeof command, "%s ", given ? given : "build/bin/strata");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, arguments);
    va_end(arguments);
    return judge_command(command, status);
}

/* The signal that ended a program, or the one its shell reports; 0: none. */
static int signal_of(int status) {
    if (WIFSIGNALED(status)) return WTERMSIG(status);
    return WIFEXITED(status) && WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
}

static Reply asked(int *status, char *command, size_t room, const char *format,
                   va_list arguments) {
    int used = snprintf(command, room, "%s ", program);
    vsnprintf(command + used, room - (size_t)used, format, arguments);
    return judge_command(command, status);
}

bool ask_fails(const char *format, ...) {
    char command[2048];
    int status;
    va_list arguments;
    va_start(arguments, format);
    asked(&status, command, sizeof command, format, arguments);
    va_end(arguments);
    return status != -1 && status != 0 && signal_of(status) == 0;
}

Reply ask(const char *format, ...) {
    char command[2048];
    int status;
    va_list arguments;
    va_start(arguments, format);
    Reply r = asked(&status, command, sizeof command, format, arguments);
    va_end(arguments);
    if (status == 0) return r;
    if (status == -1 && r.seconds < limit / 4)
        refuse("`%s` was not done after %.0f seconds and computed for %.1f of them: what does "
               "it wait for?",
               command, r.clock, r.seconds);
    int killer = status == -1 ? 0 : signal_of(status);
    if (status == -1 || killer == SIGXCPU)
        refuse("`%s` was not done after %.0f seconds: a loop that never ends?", command, limit);
    if (killer == SIGXFSZ || r.size >= MOST)
        refuse("`%s` wrote more than %d MB: does it know where to end?", command, MOST >> 20);
    Reply errors = {0};
    read_reply(judge_path("errors"), &errors);
    if (errors.size > 300) errors.text[300] = 0;
    char crash[120] = "";
    if (killer)
        snprintf(crash, sizeof crash,
                 " (%s; in C, cc -g -fsanitize=address makes it name the line)",
                 strsignal(killer));
    refuse("`%s < %s` ended with status %d%s%s%s", command, judge_path("in"),
           killer ? 128 + killer : WEXITSTATUS(status), crash, errors.size ? " and said: " : "",
           errors.text);
}

bool alike(const double *got, const double *want, size_t n) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(want[i]));
    for (size_t i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= 1e-3 * largest + 1e-6)) return false;
    return true;
}

bool alike_rows(const double *got, const double *want, size_t n, int cols) {
    for (size_t i = 0; i < n; i += (size_t)cols)
        if (!alike(got + i, want + i, (size_t)cols)) return false;
    return true;
}

/* What is expected fewer than six times is counted together. */
typedef struct Bins {
    double square, worst;
    int n, at; /* at: the farthest off */
} Bins;

static Bins bins_of(const double *p, const long *count, int n) {
    Bins b = {0};
    double total = 0, rest_p = 0, rest = 0;
    for (int i = 0; i < n; i++) total += (double)count[i];
    for (int i = 0; i < n; i++) {
        double want = p[i] * total, off = (double)count[i] - want;
        if (want < 6) {
            rest_p += want, rest += (double)count[i];
            continue;
        }
        b.square += off * off / want, b.n++;
        if (off * off / want > b.worst) b.worst = off * off / want, b.at = i;
    }
    if (rest_p >= 1) b.square += (rest - rest_p) * (rest - rest_p) / rest_p, b.n++;
    return b;
}

/* By Wilson and Hilferty's normal deviate. */
double odds_apart(const double *p, const long *count, int n) {
    Bins b = bins_of(p, count, n);
    double k = b.n - 1;
    return b.n < 2 ? 0 : (cbrt(b.square / k) - (1 - 2 / (9 * k))) / sqrt(2 / (9 * k));
}

void need_odds(const char *what, const double *p, const long *count, int n) {
    double total = 0;
    for (int i = 0; i < n; i++) total += (double)count[i];
    for (int i = 0; i < n; i++)
        need(p[i] > 0 || count[i] == 0,
             "%s: token %d was drawn %ld times of %.0f, and must never be", what, i, count[i],
             total);
    Bins b = bins_of(p, count, n);
    need(odds_apart(p, count, n) < 5.2,
         "%s: of %.0f draws %ld were token %d, expected about %.0f (chi-square %.0f with %d "
         "degrees of freedom)",
         what, total, count[b.at], b.at, p[b.at] * total, b.square, b.n - 1);
}

double named(Reply reply, const char *word) {
    const char *at = strstr(reply.text, word);
    return at ? strtod(at + strlen(word), NULL) : (double)NAN;
}

int judge_letter(int byte) {
    int hidden = 256;
    for (int b = 0; b <= byte; b++) {
        bool seen = (b > 32 && b < 127) || (b > 160 && b != 173);
        if (b == byte && seen) return byte;
        hidden += !seen;
    }
    return hidden - 1;
}

int main(int argc, char **argv) {
    int chapter = argc == 5 ? atoi(argv[1]) : 0, last = 0;
    while (judge_chapters[last]) last++;
    if (chapter < 1 || chapter > last) {
        fprintf(stderr, "usage: judge CHAPTER FOLDER SEED COMMAND, chapters 1 to %d\n", last);
        return 2;
    }
    folder = argv[2], seed = strtoull(argv[3], NULL, 10), program = argv[4];
    judge_limit(20);
    fclose(judge_input("in"));
    judge_chapters[chapter - 1]();
    return 0;
}
