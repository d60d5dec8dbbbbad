/* curl.h - one transfer by the program curl: the file comes through a pipe, the headers go
 * into a file. */
#ifndef STRATA_CURL_H
#define STRATA_CURL_H

#include "fault.h"

#include <stdint.h>
#include <sys/types.h>

typedef struct Curl {
    pid_t pid;
    int body, errors; /* own: what it sends, what it complains of */
} Curl;

/* What the headers of the last response, and of the redirects before it, say of the file. */
typedef struct Announced {
    int status;
    uint64_t size;   /* of the whole file; 0: unknown */
    char digest[65]; /* SHA-256, by Hugging Face's X-Linked-ETag; "": not said */
    char etag[200];  /* with its quotes; "": none that is strong */
} Announced;

/* Start it.
 *
 *   headers   path of the file for the headers
 *   from      bytes that are there already
 *   etag      of the file that those bytes are of; "": unknown */
bool curl_begin(Curl *curl, const char *url, const char *headers, uint64_t from,
                const char *etag, Fault *fault);

/* Wait for its end, or cut it short.  Returns curl's exit status, 127 when there is no curl,
 * and its complaint in `said` (size), without a newline. */
int curl_end(Curl *curl, bool stop, char *said, size_t size);

void announced_read(const char *headers, Announced *announced);

#endif
