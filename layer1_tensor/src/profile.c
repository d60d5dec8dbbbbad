/* profile.c - see profile.h. */
#include "profile.h"
#include "clock.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_KEPT = -1 };

__thread bool profile_on;
static _Thread_local Profile *watching;

bool profile_start(Profile *p, size_t events, Fault *fault) {
    if (watching) return fault_set(fault, "this thread is profiled already");
    *p = (Profile){.events = calloc(events ? events : 1, sizeof *p->events), .room = events};
    if (!p->events) return fault_set(fault, "no memory for %zu scopes", events);
    watching = p, profile_on = true;
    return true;
}

/* The row of a name in the open scope, new if needed; -1: no room. */
static int32_t profile_row_of(Profile *p, const char *name) {
    int32_t parent = p->depth ? p->events[p->open[p->depth - 1]].row : -1;
    for (size_t i = 0; i < p->n_rows; i++)
        if (p->rows[i].parent == parent && strcmp(p->rows[i].name, name) == 0)
            return (int32_t)i;
    if (p->n_rows == PROFILE_ROWS) return NOT_KEPT;
    p->rows[p->n_rows] = (ProfileRow){.name = name, .parent = parent, .depth = p->depth};
    return (int32_t)p->n_rows++;
}

void profile_push(const char *name) {
    Profile *p = watching;
    REQUIRE(p->depth < PROFILE_DEPTH, "%d scopes in each other", PROFILE_DEPTH);
    int32_t row = p->count < p->room ? profile_row_of(p, name) : NOT_KEPT;
    if (row == NOT_KEPT) { /* nothing is recorded from here on */
        p->missed++;
        profile_on = false;
        return;
    }
    p->open[p->depth++] = p->count;
    p->events[p->count++] = (ProfileEvent){.row = row, .start = clock_seconds()};
}

void profile_pop(void) {
    Profile *p = watching;
    ProfileEvent *e = &p->events[p->open[--p->depth]];
    e->end = clock_seconds();
    p->rows[e->row].count++, p->rows[e->row].sum += e->end - e->start;
}

/* ------------------------------------------------------------------ afterwards */

static void find_percentiles(Profile *p, double *times) {
    for (size_t r = 0; r < p->n_rows; r++) {
        ProfileRow *row = &p->rows[r];
        size_t n = 0;
        for (size_t i = 0; i < p->count; i++)
            if (p->events[i].row == (int32_t)r && p->events[i].end > 0)
                times[n++] = p->events[i].end - p->events[i].start;
        row->median = percentile(times, n, 0.5);
        row->p95 = percentile(times, n, 0.95);
    }
}

void profile_stop(Profile *p) {
    double *times = malloc((p->count + 1) * sizeof *times);
    profile_on = false, watching = NULL;
    if (times) find_percentiles(p, times);
    free(times);
}

void profile_free(Profile *p) {
    free(p->events);
    *p = (Profile){0};
}
