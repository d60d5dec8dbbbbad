/* log.c - the log of a run, as CSV.  See train.h. */
#include "train/trainer.h"
#include "train_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char head[] =
    "step,tokens,loss,rate,gradient_norm,tokens_per_second,heldout_loss,floor\n";

/* Bytes of the header and the complete lines up to a step; 0: not a log. */
static size_t kept_bytes(const FileMap *log, size_t step) {
    const char *at = (const char *)log->data, *last = at + log->size, *end;
    if (log->size < sizeof head - 1 || memcmp(at, head, sizeof head - 1) != 0) return 0;
    for (at += sizeof head - 1; (end = memchr(at, '\n', (size_t)(last - at))); at = end + 1)
        if (strtoull(at, NULL, 10) > step) break;
    return (size_t)(at - (const char *)log->data);
}

/* A single call truncates the file: no line that stays is ever missing. */
static bool log_cut(const char *path, size_t step, Fault *fault) {
    FileMap log;
    if (!file_open(&log, path, fault)) return false;
    size_t size = kept_bytes(&log, step);
    file_close(&log);
    if (size == 0)
        return fault_set(fault, "%s is not the log of a training run: give another name", path);
    return truncate(path, (off_t)size) == 0 ||
           fault_set(fault, "%s cannot be cut: %s", path, strerror(errno));
}

static bool is_there(const char *path) {
    FileMap map;
    bool there = file_open(&map, path, NULL);
    if (there) file_close(&map);
    return there;
}

FILE *train_log_open(const char *path, size_t step, Fault *fault) {
    if (!file_writable(path, fault)) return NULL;
    bool ok = is_there(path) ? log_cut(path, step, fault)
                             : file_write(path, head, sizeof head - 1, fault);
    FILE *log = ok ? fopen(path, "a") : NULL;
    if (ok && !log) fault_set(fault, "%s cannot be written: %s", path, strerror(errno));
    return log;
}

bool train_log_add(FILE *log, const TrainStep *s, double speed, const double *heldout,
                   Fault *fault) {
    fprintf(log, "%zu,%zu,%.5f,%.6g,%.4f,%.0f,", s->step, s->tokens, s->loss, s->rate,
            s->gradient_norm, speed);
    if (heldout)
        fprintf(log, "%.5f,%.5f\n", heldout[0], heldout[1]);
    else
        fprintf(log, ",\n");
    return (fflush(log) == 0 && !ferror(log)) ||
           fault_set(fault, "the log cannot be written: %s", strerror(errno));
}

bool train_log_sync(FILE *log, Fault *fault) {
    return fsync(fileno(log)) == 0 ||
           fault_set(fault, "the log does not reach the disk: %s", strerror(errno));
}
