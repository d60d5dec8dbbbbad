/* fail.h - what the two halves of the preloaded object share, and its runner knows. */
#ifndef STRATA_FAIL_H
#define STRATA_FAIL_H

#include <stdatomic.h>
#include <stdbool.h>

enum { FAIL_MEMORY, FAIL_DISK, FAIL_MAPPED /* only files that are mapped */ };

/* How a call to the disk fails. */
typedef enum FailHow {
    FAIL_ERROR,     /* an error: no space, no such device */
    FAIL_INTERRUPT, /* read, write: EINTR */
    FAIL_SHORT,     /* read, write: half of it */
    FAIL_CUT,       /* the power goes: what was not synced is lost, the process ends */
    FAIL_TORN,      /* the same, and half of what was not synced is there */
    FAIL_SHRINK     /* mmap: the file is truncated to half its size afterwards */
} FailHow;

/* run.py writes and reads the same bytes. */
typedef struct FailState {
    atomic_llong calls;    /* made so far */
    long long first, last; /* of those that shall fail, counted from 1 */
    atomic_llong failed;   /* that did */
    long long kind, how;
    char name[32];    /* of the first that failed */
    char folder[256]; /* only files in it are truncated */
} FailState;

extern FailState *fail_state;

bool fail_now(const char *name);
bool fail_mapping(int fd);
void fail_watch_disk(void);

#endif
