/* anthropic.h - Anthropic's /v1/messages: request (anthropic_request.c) and answer
 * (anthropic.c).  See dialect.h. */
#ifndef STRATA_ANTHROPIC_H
#define STRATA_ANTHROPIC_H

#include "dialect.h"

extern const Alias anthropic_names[]; /* Dialect.names */

/* The members of an OpenAI request. */
bool anthropic_translate(const JsonValue *root, const Server *server, FILE *out,
                         HttpError *error);

#endif
