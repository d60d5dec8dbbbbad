/* events.h - a job as a stream, as its dialect's clients read it (dialect.h): here OpenAI's.
 *
 *     data: {"choices":[{"delta":{"role":"assistant","content":""}, ...}]}\n\n      once each
 *     data: {"choices":[{"delta":{"content":"Once"}, ...}]}\n\n                     as flushed
 *     data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n
 *     data: {"choices":[],"usage":{...}}\n\n                                       if requested
 *     data: [DONE]\n\n
 *
 * Invariant: each event is one line of JSON; an answer has one finish_reason, in its last
 * event. */
#ifndef STRATA_EVENTS_H
#define STRATA_EVENTS_H

#include "text_job.h"

/* Takes over the job.  NULL: no memory. */
Events *events_open(TextJob *text);
void events_close(Events *events);

/* Are its answers over?  Then only their reader is waited for. */
bool events_are_made(void *events);

/* What its answers took. */
void events_usage(Events *events, Usage *usage);

/* Copy at most `room` bytes of what is to be sent, waiting at most so many seconds.
 *
 * Returns the number of bytes; 0: nothing yet.  *over: everything was sent. */
size_t events_read(Events *events, char *out, size_t room, double seconds, bool *over);

/* Send a keep-alive comment soon, to find out whether the client is still there. */
void events_ping(Events *events);

#endif
