/* stream.h - text on its way out, with an eye on stop strings and whole characters.
 *
 * Tokens end anywhere: in the middle of a stop string, in the middle of a character.  So the
 * last bytes are held back while they may still become a stop string, or are the beginning of a
 * UTF-8 character:
 *
 *     sent  "...the fox"     held  " E"      because " END" is a stop string
 *
 * Invariant: each piece that was sent is valid UTF-8, and all of them contain no stop string; what was
 * held is sent in the end unless a stop string is why the text ends. */
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
    size_t size; /* bytes that came in; of a stopped text: up to the stop string */
    bool stopped;
} Stream;

void stream_open(Stream *stream, const Stops *stops, StreamSink *sink, void *context);
void stream_close(Stream *stream);

/* More bytes: sent as far as they can be neither the beginning of a stop string nor half a character, the others held;
 * those that were held go first.  The stop string that is complete first counts; of several that are complete at the
 * same byte, the longest.  Without stop strings (`stops` NULL, or none in it) only half characters are held.
 *
 * Returns false when a stop string is complete, and from then on: everything before it was sent, nothing more will be,
 * `stopped` is set, and `size` ends where it begins.
 * Tutorial layer6/stops.html */
bool stream_push(Stream *stream, Text bytes);

/* The text is over for another reason: send what is held; an unfinished character becomes
 * U+FFFD. */
void stream_finish(Stream *stream);

#endif
