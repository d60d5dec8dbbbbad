/* sse.h - server-sent events: text that goes out bit by bit, in one answer of HTTP that does not end.
 *
 *     data: one line\n          an event: each line of its text, and an empty one
 *     data: another line\n
 *     \n
 *     :\n\n                     a comment, which nobody is told of
 *
 * Invariant: a client is told the same text, but that every end of a line (\n, \r, or \r\n) is a \n.
 * Source   WHATWG, HTML, section 9.2. */
#ifndef STRATA_SSE_H
#define STRATA_SSE_H

#include "models.h"

#include <stdio.h>

/* Frame an event.
 *
 *   text    of any bytes; an empty one is an event, too */
void sse_event(FILE *out, Text text);

/* Nothing to say, said so that the connection lives. */
void sse_ping(FILE *out);

#endif
