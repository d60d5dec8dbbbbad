/* access_log.c - see access_log.h. */
#include "access_log.h"

#include "calls/write.h"
#include "clock.h"
#include "timed_wait.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOG_PIECE = 4096 /* of a pipe that is ready for writing, as much never blocks */ };

/* ------------------------------------------------------------------ the thread */

static int log_open_file(const char *path) {
    return path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640) : STDERR_FILENO;
}

/* A failed attempt keeps the old file. */
static void log_open_again(AccessLog *log) {
    const int file = log_open_file(log->path);
    if (!log->path || file < 0) return;
    close(log->file);
    log->file = file;
}

/* Wait until the file takes more.  False: the time of a log that ends is up. */
static bool log_is_ready(AccessLog *log, double *until) {
    struct pollfd p = {.fd = log->file, .events = POLLOUT};
    for (;;) {
        if (poll(&p, 1, 50) == 1) return true;
        pthread_mutex_lock(&log->lock);
        if (log->stopping && *until == 0) *until = clock_seconds() + 1;
        pthread_mutex_unlock(&log->lock);
        if (*until > 0 && clock_seconds() > *until) return false;
    }
}

/* Whole lines, as far as they fit into a piece. */
static size_t log_take(AccessLog *log, char piece[LOG_PIECE]) {
    size_t size = min_size(log->used, LOG_PIECE);
    while (size && log->lines[size - 1] != '\n') size--;
    memcpy(piece, log->lines, size);
    memmove(log->lines, log->lines + size, log->used -= size);
    return size;
}

/* An error here has nowhere to be reported; a full disk costs lines, which are counted, and
 * nothing else. */
static bool log_lose(AccessLog *log, const char *piece, size_t size) {
    pthread_mutex_lock(&log->lock);
    for (size_t i = 0; i < size; i++) log->dropped += piece[i] == '\n';
    pthread_mutex_unlock(&log->lock);
    return true;
}

/* What follows a torn line begins on a line of its own. */
static bool log_put(AccessLog *log, const char *piece, size_t size, double *until) {
    const char *begin = piece;
    while (size) {
        if (!log_is_ready(log, until)) return false;
        const ssize_t n = log->torn ? write(log->file, "\n", 1) : write(log->file, piece, size);
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            log->torn |= piece > begin && piece[-1] != '\n';
            return log_lose(log, piece, size);
        }
        if (n > 0 && !log->torn) piece += n, size -= (size_t)n;
        if (n > 0) log->torn = false;
    }
    return true;
}

static size_t log_format_note(const AccessLog *log, char line[LOG_LINE], const char *text);

static void *log_run(void *context) {
    AccessLog *log = context;
    char piece[LOG_PIECE], text[80];
    double until = 0;
    bool ok = true;
    pthread_mutex_lock(&log->lock);
    while (ok && (log->used || log->unreported || !log->stopping)) {
        if (!log->used && !log->unreported && !log->reopen) {
            pthread_cond_wait(&log->wake, &log->lock);
            continue;
        }
        const bool reopen = log->reopen;
        size_t size = log_take(log, piece);
        if (!log->used && log->unreported) {
            snprintf(text, sizeof text, "%llu lines of this log were dropped",
                     (unsigned long long)log->unreported);
            if (size + LOG_LINE <= sizeof piece)
                size += log_format_note(log, piece + size, text), log->unreported = 0;
        }
        log->reopen = false;
        pthread_mutex_unlock(&log->lock);
        if (reopen) log_open_again(log);
        ok = log_put(log, piece, size, &until);
        pthread_mutex_lock(&log->lock);
    }
    log->over = true;
    pthread_cond_signal(&log->ended);
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

/* The first line shows that lines can be written: a full disk is found now. */
static bool log_begin(AccessLog *log, Fault *fault) {
    char line[LOG_LINE];
    struct pollfd p = {.fd = log->file, .events = POLLOUT};
    const size_t size = log_format_note(log, line, "the server starts");
    if (!log->path || poll(&p, 1, 0) != 1 || write(log->file, line, size) >= 0) return true;
    return fault_set(fault, "--log %.200s: cannot be written: %s", log->path, strerror(errno));
}

bool log_open(AccessLog *log, const char *path, bool json, Fault *fault) {
    *log = (AccessLog){.path = path, .json = json, .file = log_open_file(path)};
    if (log->file < 0)
        return fault_set(fault, "--log %.200s: cannot be written: %s", path, strerror(errno));
    if (!log_begin(log, fault)) return false;
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->wake, NULL), timed_init(&log->ended);
    if (!(log->lines = malloc(LOG_ROOM))) return fault_set(fault, "no memory for a log");
    if (pthread_create(&log->thread, NULL, log_run, log) == 0) return true;
    free(log->lines);
    return log->lines = NULL, fault_set(fault, "no further thread can be started");
}

void log_close(AccessLog *log) {
    if (!log->lines) return;
    const double end = clock_seconds() + 3;
    pthread_mutex_lock(&log->lock);
    log->stopping = true;
    pthread_cond_signal(&log->wake);
    while (!log->over)
        if (!timed_wait(&log->ended, &log->lock, end - clock_seconds())) break;
    const bool over = log->over;
    pthread_mutex_unlock(&log->lock);
    if (!over) return; /* it hangs in a write(): the program's end will end it */
    pthread_join(log->thread, NULL);
    free(log->lines);
    if (log->path) close(log->file);
    log->lines = NULL;
}

/* ------------------------------------------------------------------ lines */

static void log_add(AccessLog *log, const char *line, size_t size) {
    pthread_mutex_lock(&log->lock);
    if (log->used + size <= LOG_ROOM && !log->over)
        memcpy(log->lines + log->used, line, size), log->used += size;
    else
        log->dropped++, log->unreported++;
    pthread_cond_signal(&log->wake);
    pthread_mutex_unlock(&log->lock);
}

static void log_format_time(char text[32]) {
    struct timespec now;
    struct tm date;
    char seconds[24];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(text, 32, "%s.%03ldZ", seconds, now.tv_nsec / 1000000);
}

/* Cut to a line, with its end. */
static size_t log_end_line(char line[LOG_LINE], int size) {
    const size_t n = min_size((size_t)(size > 0 ? size : 0), LOG_LINE - 2);
    line[n] = '\n';
    return n + 1;
}

/* One line of UTF-8, and no quotes: a note may tell what a damaged file holds. */
static void log_make_safe(const char *text, char *safe, size_t room) {
    size_t n = 0;
    for (Text rest = text_of(text); rest.size && n + 4 < room;) {
        const int whole = utf8_character((const unsigned char *)rest.data, rest.size);
        const size_t size = whole > 0 ? (size_t)whole : 1;
        memcpy(safe + n, rest.data, size);
        if (whole <= 0) safe[n] = '?';
        if ((unsigned char)safe[n] < ' ') safe[n] = ' ';
        if (safe[n] == '"' || safe[n] == '\\') safe[n] = '\'';
        n += size, rest.data += size, rest.size -= size;
    }
    safe[n] = 0;
}

static size_t log_format_note(const AccessLog *log, char line[LOG_LINE], const char *text) {
    char at[32], safe[LOG_LINE / 2];
    log_format_time(at), log_make_safe(text, safe, sizeof safe);
    return log_end_line(
        line, snprintf(line, LOG_LINE,
                       log->json ? "{\"time\":\"%s\",\"note\":\"%s\"}" : "%s [%s]", at, safe));
}

void log_note(AccessLog *log, const char *format, ...) {
    char text[LOG_LINE / 2], line[LOG_LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_add(log, line, log_format_note(log, line, text));
}

/* No field holds a byte of a client's that is not a letter, a digit or one of ._@-/ */
void log_request(AccessLog *log, const LogEntry *e) {
    char line[LOG_LINE], at[32];
    log_format_time(at);
    log_add(log, line,
            log_end_line(
                line,
                snprintf(line, sizeof line,
                         log->json ? "{\"time\":\"%s\",\"id\":\"%s\",\"key\":\"%s\",\"method\":"
                                     "\"%s\",\"path\":\"%s\",\"status\":%d,\"in\":%zu,\"out\":"
                                     "%zu,\"queue\":%.4f,\"first\":%.4f,\"whole\":%.4f,"
                                     "\"reason\":\"%s\"}"
                                   : "%s %s %s %s %s %d in %zu out %zu queue %.4f first %.4f "
                                     "whole %.4f %s",
                         at, e->id, e->key, e->method, e->path, e->status, e->in, e->out,
                         e->queue, e->first, e->whole, e->reason)));
}

void log_reopen(AccessLog *log) {
    pthread_mutex_lock(&log->lock);
    log->reopen = true;
    pthread_cond_signal(&log->wake);
    pthread_mutex_unlock(&log->lock);
}

uint64_t log_dropped(AccessLog *log) {
    pthread_mutex_lock(&log->lock);
    const uint64_t dropped = log->dropped;
    pthread_mutex_unlock(&log->lock);
    return dropped;
}
