/* refusal.h - why a request is not served: what HTTP says, and what OpenAI's clients read.
 *
 *     {"error": {"message": "...", "type": "invalid_request_error", "param": "top_p", "code": null}}
 *
 * Invariant: what a client sends is data: whatever is wrong with it becomes a Refusal, and nothing else. */
#ifndef STRATA_REFUSAL_H
#define STRATA_REFUSAL_H

#include "inference.h"

typedef struct Refusal {
    int status;       /* of HTTP */
    const char *code; /* or NULL */
    char param[64];   /* the field that is meant; "": none */
    Fault fault;      /* its text is the message */
} Refusal;

/* Fill it, printf style, and return false.  param may be NULL. */
bool refuse(Refusal *refusal, int status, const char *param, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with the text of refusal->fault. */
bool refuse_fault(Refusal *refusal, int status, const char *param);

/* The body of the answer.  Written to `out`. */
void refusal_write(const Refusal *refusal, FILE *out);

#endif
