/* curl.h - one transfer by the program curl: the file through a pipe, the headers into a
 * file. */
#ifndef STRATA_CURL_H
#define STRATA_CURL_H

#include "fault.h"

#include <stdint.h>
#include <sys/types.h>

typedef struct Curl {
    pid_t pid;
    int body, errors; /* owned: the response body, and stderr */
} Curl;

/* The file as announced by the headers of the last response and of its redirects. */
typedef struct Announced {
    int status;
    uint64_t size;   /* of the whole file; 0: unknown */
    char digest[65]; /* SHA-256 from Hugging Face's X-Linked-ETag; "": not announced */
    char etag[200];  /* in quotes; "": no strong one */
} Announced;

/* Start it.
 *
 *   headers   path of the file for the headers
 *   from      resume after this many bytes
 *   etag      of the file that those bytes are from; "": unknown */
bool curl_begin(Curl *curl, const char *url, const char *headers, uint64_t from,
                const char *etag, Fault *fault);

/* Wait for its end, or stop it.  Returns curl's exit status, 127 if there is no curl, and its
 * error message in `said` (size), without a newline. */
int curl_end(Curl *curl, bool stop, char *said, size_t size);

void announced_read(const char *headers, Announced *announced);

#endif
