/* responses.h - OpenAI's /v1/responses: request (responses_request.c) and answer (responses.c).
 * See dialect.h. */
#ifndef STRATA_RESPONSES_H
#define STRATA_RESPONSES_H

#include "dialect.h"

extern const Alias responses_names[]; /* Dialect.names */

/* The members of a request for a chat. */
bool responses_translate(const JsonValue *root, const Server *server, FILE *out,
                         HttpError *error);

#endif
