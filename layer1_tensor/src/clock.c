/* clock.c - see clock.h. */
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_length(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double percentile(double *times, size_t n, double share) {
    qsort(times, n, sizeof *times, by_length);
    return n ? times[(size_t)(share * (double)(n - 1) + 0.5)] : 0;
}

void progress_start(Progress *progress, const char *what, const char *unit, double total) {
    double now = clock_seconds();
    *progress = (Progress){what, unit, total, now, now, isatty(STDERR_FILENO), false};
}

static void draw_bar(const Progress *progress, double done, double elapsed, double left) {
    char bar[21];
    double share = progress->total > 0 ? done / progress->total : 1;
    for (int i = 0; i < 20; i++) bar[i] = i < (int)(share * 20) ? '#' : '.';
    bar[20] = 0;
    fprintf(stderr, "%s%s  [%s] %3.0f %%  %.1f %s/s  %d:%02d left%s",
            progress->terminal ? "\r" : "", progress->what, bar, 100 * share, done / elapsed,
            progress->unit, (int)left / 60, (int)left % 60, progress->terminal ? "  " : "\n");
}

void progress_show(Progress *progress, double done) {
    double now = clock_seconds(), elapsed = now - progress->start;
    if (progress->quiet || now - progress->shown < (progress->terminal ? 0.25 : 10)) return;
    progress->shown = now;
    draw_bar(progress, done, elapsed, done > 0 ? elapsed * (progress->total - done) / done : 0);
}

void progress_end(Progress *progress, double done) {
    if (progress->quiet) return;
    double elapsed = clock_seconds() - progress->start;
    fprintf(stderr, "%s%s: %.0f %s in %.1f s%20s\n", progress->terminal ? "\r" : "",
            progress->what, done, progress->unit, elapsed, "");
}
