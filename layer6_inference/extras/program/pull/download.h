/* download.h - one file into the folder of models: begun, broken off, gone on with,
 * verified, and only then named.
 *
 *     NAME.gguf.part          what has arrived, locked while it grows
 *     NAME.gguf.part-headers  what the server said of it
 *     NAME.gguf               the same file, once size and digest are right
 *
 * Invariant: what is called NAME.gguf is whole. */
#ifndef STRATA_DOWNLOAD_H
#define STRATA_DOWNLOAD_H

#include "fault.h"

#include <stdint.h>

typedef struct Download {
    const char *url;
    const char *name;   /* "smollm2-360m", without .gguf */
    const char *folder; /* made when it is not there */
    uint64_t size;      /* 0: what the server says */
    char digest[65];    /* SHA-256 in lower case; "": what the server says */
    const char *source; /* of the digest: "the table" */
} Download;

/* Tells on stderr how far it is.
 *
 * Fails when there is no curl, no space, no such file, when the connection breaks again and
 * again or another download of that name is under way: what has arrived is kept, and the
 * next call goes on from there.  Fails, too, when the file is no GGUF or its size or digest
 * is wrong: then nothing is kept. */
bool download(const Download *want, Fault *fault);

bool file_digest(const char *path, char digest[65], Fault *fault);

#endif
