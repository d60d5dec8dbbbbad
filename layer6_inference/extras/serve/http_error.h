/* http_error.h - why a request is not served: what HTTP says, and what OpenAI's clients read.
 *
 *     {"error": {"message": "...", "type": "invalid_request_error", "param": "top_p", "code": null}}
 *
 * Invariant: what a client sends is data: whatever is wrong with it becomes a HttpError, and nothing else. */
#ifndef STRATA_HTTP_ERROR_H
#define STRATA_HTTP_ERROR_H

#include "inference.h"

typedef struct HttpError {
    int status;       /* of HTTP */
    const char *code; /* or NULL */
    char param[64];   /* the field that is meant; "": none */
    Fault fault;      /* its text is the message */
} HttpError;

/* Fill it, printf style, and return false.  param may be NULL. */
bool http_error(HttpError *error, int status, const char *param, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with the text of error->fault. */
bool http_error_fault(HttpError *error, int status, const char *param);

/* The body of the answer.  Written to `out`. */
void http_error_write(const HttpError *error, FILE *out);

#endif
