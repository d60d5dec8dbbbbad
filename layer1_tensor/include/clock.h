/* clock.h - time, and progress lines for long work. */
#ifndef STRATA_CLOCK_H
#define STRATA_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds since some fixed moment; never goes back. */
double clock_seconds(void);

/* Sort n times and return the one at a share of them: 0.5 the median, 1 the longest; 0 of
 * none. */
double percentile(double *times, size_t n, double share);

/* A progress line on stderr: `what [#####.....] 52 % 1234.5 unit/s 0:42 left`. A terminal is
 * redrawn in place four times a second; elsewhere a line is printed now and then. */
typedef struct Progress {
    const char *what, *unit; /* borrowed */
    double total, start, shown;
    bool terminal, quiet;
} Progress;

void progress_start(Progress *progress, const char *what, const char *unit, double total);
void progress_show(Progress *progress, double done); /* cheap; call as often as you like */
void progress_end(Progress *progress, double done);  /* the last line, with the total time */

#endif
