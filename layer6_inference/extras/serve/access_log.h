/* access_log.h - a line for every request, and notes, written by a thread of its own.
 *
 *     2026-11-28T11:50:01.123Z 9f1c03b2a4e85d77 mia POST /v1/completions 200 in 34 out 120
 *         queue 0.0020 first 0.0510 whole 1.2030 length                        (in one line)
 *
 *     {"time": "2026-11-28T11:50:01.123Z", "id": "9f1c03b2a4e85d77", "key": "mia", ...}
 *
 * A full pipe without a reader blocks its writer.  So lines go into a buffer; when it is
 * full they are dropped and counted, and the log says how many.
 *
 * Invariant: no other thread than the log's own waits for the file. */
#ifndef STRATA_ACCESS_LOG_H
#define STRATA_ACCESS_LOG_H

#include "inference.h"

#include <pthread.h>

enum { LOG_LINE = 1024, LOG_ROOM = 256 << 10 };

typedef struct AccessLog {
    const char *path; /* NULL: standard error */
    bool json;
    int file;
    char *lines; /* (used of LOG_ROOM) whole lines; owns */
    size_t used;
    uint64_t dropped, unreported; /* lines; those that the log does not mention yet */
    bool reopen, stopping, over;
    bool torn;            /* the last line has no end yet */
    pthread_mutex_t lock; /* guards `lines` to `over` */
    pthread_cond_t wake, ended;
    pthread_t thread;
} AccessLog;

/* What a line says of a request. */
typedef struct LogEntry {
    const char *id, *key, *method, *path;
    int status;
    size_t in, out;             /* tokens */
    double queue, first, whole; /* seconds until it ran, to its first token, and to its end */
    const char *reason;         /* why it ended; "-": it generates nothing */
} LogEntry;

/* Start the log's thread.
 *
 *   path   NULL: standard error
 *
 * Fails when the file cannot be opened. */
bool log_open(AccessLog *log, const char *path, bool json, Fault *fault);

/* Write what is left, for a second at most: a reader may have stopped. */
void log_close(AccessLog *log);

void log_request(AccessLog *log, const LogEntry *entry);
void log_note(AccessLog *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Open the file again, after a rotation. */
void log_reopen(AccessLog *log);

uint64_t log_dropped(AccessLog *log);

#endif
