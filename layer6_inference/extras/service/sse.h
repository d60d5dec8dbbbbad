/* sse.h - server-sent events: text in pieces, in an HTTP answer that stays open.
 *
 *     data: one line\n          an event: each line of its text, then an empty line
 *     data: another line\n
 *     \n
 *     :\n\n                     a comment, which clients ignore
 *
 * Invariant: the client receives the same text, with every line end (\n, \r or \r\n) as \n.
 * Source   WHATWG, HTML, section 9.2. */
#ifndef STRATA_SSE_H
#define STRATA_SSE_H

#include "models.h"

#include <stdio.h>

/* Write an event.
 *
 *   text    any bytes; an empty text is an event, too */
void sse_event(FILE *out, Text text);

/* A comment, to keep the connection alive. */
void sse_ping(FILE *out);

#endif
