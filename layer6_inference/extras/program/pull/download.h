/* download.h - downloads a file into the models folder: started, interrupted, resumed,
 * verified, and only then named.
 *
 *     NAME.gguf.part          bytes received so far, locked while it grows
 *     NAME.gguf.part-headers  the server's headers
 *     NAME.gguf               the same file, once size and digest are verified
 *
 * Invariant: a file called NAME.gguf is complete. */
#ifndef STRATA_DOWNLOAD_H
#define STRATA_DOWNLOAD_H

#include "fault.h"

#include <stdint.h>

typedef struct Download {
    const char *url;
    const char *name;   /* "smollm2-360m", without .gguf */
    const char *folder; /* created if missing */
    uint64_t size;      /* 0: as announced by the server */
    char digest[65];    /* SHA-256 in lower case; "": as announced by the server */
    const char *source; /* of the digest: "the table" */
} Download;

/* Shows progress on stderr.
 *
 * Fails without curl, disk space or the file, after repeated connection failures, or if another
 * download of that name is running: the part is kept, and the next call resumes it.  Fails and
 * discards the part if the file is not GGUF or its size or digest is wrong. */
bool download(const Download *want, Fault *fault);

bool file_digest(const char *path, char digest[65], Fault *fault);

#endif
