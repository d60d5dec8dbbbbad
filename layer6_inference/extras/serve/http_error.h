/* http_error.h - why a request fails: HTTP's status and OpenAI's error object.
 *
 *     {"error": {"message": "...", "type": "invalid_request_error", "param": "top_p", "code":
 *     null}}
 *
 * Invariant: whatever a client sends wrong becomes an HttpError, and nothing worse. */
#ifndef STRATA_HTTP_ERROR_H
#define STRATA_HTTP_ERROR_H

#include "inference.h"

typedef struct HttpError {
    int status;       /* HTTP status */
    const char *code; /* or NULL */
    char param[64];   /* the field to blame; "": none */
    Fault fault;      /* holds the message */
} HttpError;

/* Fill it, printf style, and return false.  param may be NULL. */
bool http_error(HttpError *error, int status, const char *param, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same, with the message already in error->fault.  Memory that ran out is always 503. */
bool http_error_fault(HttpError *error, int status, const char *param);

/* If it is about the field `name`, say the name that the client gave it instead: as the param,
 * and where the message begins with it (without an index, which is another there). */
void http_error_rename(HttpError *error, const char *name, const char *sent);

/* The type of errors with this status, in the words of OpenAI and Anthropic. */
const char *http_error_type(int status);

/* Write the body of the answer. */
void http_error_write(const HttpError *error, FILE *out);

#endif
