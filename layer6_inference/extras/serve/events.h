/* events.h - a job as server-sent events, as OpenAI's clients read them.
 *
 *     data: {"choices":[{"delta":{"role":"assistant","content":""}, ...}]}\n\n      one for each answer
 *     data: {"choices":[{"delta":{"content":"Once"}, ...}]}\n\n                     as text goes out
 *     data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n
 *     data: {"choices":[],"usage":{...}}\n\n                                        where it was asked for
 *     data: [DONE]\n\n
 *
 * Invariant: each event is one line of JSON; an answer has one finish_reason, in its last event. */
#ifndef STRATA_EVENTS_H
#define STRATA_EVENTS_H

#include "text_job.h"

/* Takes the job over.  NULL when memory runs out. */
Events *events_open(TextJob *text);
void events_close(Events *events);

/* Copy what there is to send, at most `room` bytes; waits for it, but not for longer than so many
 * seconds.
 *
 * Returns how many bytes; 0: nothing yet.  *over: all was sent. */
size_t events_read(Events *events, char *out, size_t room, double seconds, bool *over);

/* Say nothing, soon: to find out whether anybody listens. */
void events_ping(Events *events);

#endif
