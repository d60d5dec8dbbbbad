/* stream.h - output text, cut at stop strings and whole characters.
 *
 * Tokens end anywhere: in the middle of a stop string, in the middle of a character.  So the
 * last bytes stay pending while they may still become a stop string, or are the start of a
 * UTF-8 character:
 *
 *     sent  "...the fox"     pending  " E"      because " END" is a stop string
 *
 * Invariant: each piece sent is valid UTF-8, and together they contain no stop string; pending
 * bytes are sent in the end unless a stop string ended the text
 * [stop_strings_are_cut_wherever_tokens_end, characters_are_never_halved]. */
#ifndef STRATA_STREAM_H
#define STRATA_STREAM_H

#include "stops.h"

typedef void StreamSink(void *context, Text text);

typedef struct Stream {
    const Stops *stops; /* borrows; NULL: none */
    int32_t state;
    StreamSink *sink;
    void *context;
    char *pending; /* owns */
    size_t pending_size, pending_room;
    size_t size; /* bytes received; of a stopped text: up to the stop string */
    bool stopped;
} Stream;

void stream_open(Stream *stream, const Stops *stops, StreamSink *sink, void *context);
void stream_close(Stream *stream);

/* More bytes.  Sends pending bytes, then these, except for a suffix that may become a stop
 * string or is half a character.  The first stop string to be complete ends the text; of
 * several complete at the same byte, the longest.  Without stop strings only half characters
 * stay pending.
 *
 * Returns false once a stop string is complete: everything before it was sent, nothing more
 * will be, `stopped` is set, and `size` is where it begins.
 *
 * Tutorial layer6/stops.html */
bool stream_push(Stream *stream, Text bytes);

/* The text ended for another reason: send the pending bytes, half a character as U+FFFD. */
void stream_finish(Stream *stream);

#endif
