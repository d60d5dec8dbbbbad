/* arrival.h - the bytes of a download: written, counted, hashed and shown as they arrive. */
#ifndef STRATA_ARRIVAL_H
#define STRATA_ARRIVAL_H

#include "curl.h"
#include "download.h"

#include "sha256.h"

enum { ARRIVAL_PATH = 1400 };

typedef struct Arrival {
    const Download *want;
    char path[ARRIVAL_PATH], part[ARRIVAL_PATH + 8];
    char headers[ARRIVAL_PATH + 16]; /* of the connection that brought the part's last bytes */
    char fresh[ARRIVAL_PATH + 24];   /* of this connection, until it brings any */
    int file;                        /* owned: the part */
    uint64_t done, size;             /* bytes; size 0: unknown */
    Sha256 sha;                      /* of the bytes done */
    Announced announced;             /* by the server */
    bool met;                        /* this connection's headers have been checked */
    bool spoiled;                    /* the part cannot become the file */
    int breaks;                      /* broken connections */
    double start, shown;             /* seconds */
    uint64_t first;                  /* bytes present at the start */
    bool terminal, line; /* is stderr a terminal; is there a progress line to redraw */
} Arrival;

/* Fails when a path is too long. */
bool arrival_paths(Arrival *a, Fault *fault);

/* Hash the part, and print what is left to download. */
bool arrival_begin(Arrival *a, Fault *fault);

/* Discard the part. */
bool arrival_restart(Arrival *a, Fault *fault);

/* Read a pipe to its end.  Fails if the file is not GGUF, if the server announces another file
 * than the wanted one or sends more than announced, and when the disk is full. */
bool arrival_take(Arrival *a, int pipe, Fault *fault);

/* Check size and digest against the wanted or announced ones; prints the result. */
bool arrival_verify(Arrival *a, Fault *fault);

void arrival_line_end(Arrival *a);

#endif
