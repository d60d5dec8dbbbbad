/* arrival.h - the bytes of a download: written, counted, digested and shown while they come. */
#ifndef STRATA_ARRIVAL_H
#define STRATA_ARRIVAL_H

#include "curl.h"
#include "download.h"

#include "sha256.h"

enum { ARRIVAL_PATH = 1400 };

typedef struct Arrival {
    const Download *want;
    char path[ARRIVAL_PATH], part[ARRIVAL_PATH + 8];
    char headers[ARRIVAL_PATH +
                 16]; /* of the connection that brought the last bytes of the part */
    char fresh[ARRIVAL_PATH + 24]; /* of this one, until it brings any */
    int file;                      /* owns: the part */
    uint64_t done, size;           /* bytes; size 0: unknown */
    Sha256 sha;                    /* of what is done */
    Announced announced;           /* by the server */
    bool met;                      /* the headers of this connection have been looked at */
    bool spoiled;                  /* what is done cannot become the file */
    int breaks;                    /* of the connection */
    double start, shown;           /* seconds */
    uint64_t first;                /* bytes that were there at the start */
    bool terminal, line; /* is stderr one; does a line stand there that is to be redrawn */
} Arrival;

/* Fails when a path is too long. */
bool arrival_paths(Arrival *a, Fault *fault);

/* Digest the partial file, and print what is to come. */
bool arrival_begin(Arrival *a, Fault *fault);

/* Start over. */
bool arrival_restart(Arrival *a, Fault *fault);

/* All that comes through a pipe.  Fails when it is no GGUF file, when the server announces
 * another file than the one wanted, when more comes than was announced, and when the disk is
 * full. */
bool arrival_take(Arrival *a, int pipe, Fault *fault);

/* Check size and digest against the wanted or announced ones; prints what was checked. */
bool arrival_verify(Arrival *a, Fault *fault);

void arrival_line_end(Arrival *a);

#endif
