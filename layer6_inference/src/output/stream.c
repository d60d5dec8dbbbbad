/* stream.c - see stream.h. */
#include "stream.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

void stream_open(Stream *s, const Stops *stops, StreamSink *sink, void *context) {
    *s = (Stream){.stops = stops, .sink = sink, .context = context};
}

void stream_close(Stream *s) {
    free(s->pending);
    *s = (Stream){0};
}

static void hold(Stream *s, Text bytes) {
    size_t need = s->pending_size + bytes.size;
    NEED_MEMORY(GROW(s->pending, s->pending_room, need), "%zu bytes of text", need);
    memcpy(s->pending + s->pending_size, bytes.data, bytes.size);
    s->pending_size += bytes.size;
}

/* Send the first `size` pending bytes, only whole characters; invalid bytes become U+FFFD.
 * Half a character at the end stays pending; with `last` it is invalid too. */
static void send(Stream *s, size_t size, bool last) {
    size_t from = 0, at = 0;
    while (at < size) {
        int length = utf8_character((const unsigned char *)s->pending + at, size - at);
        if (length > 0) {
            at += (size_t)length;
            continue;
        }
        if (length == 0 && !last) break;
        if (at > from) s->sink(s->context, (Text){s->pending + from, at - from});
        s->sink(s->context, (Text){"\xEF\xBF\xBD", 3});
        at = from = length < 0 ? at + (size_t)-length : size;
    }
    if (at > from) s->sink(s->context, (Text){s->pending + from, at - from});
    memmove(s->pending, s->pending + at, s->pending_size - at);
    s->pending_size -= at;
}

bool stream_push(Stream *s, Text bytes) {
    size_t before = s->pending_size, read = 0, stop;
    if (s->stopped) return false;
    if (bytes.size == 0) return true;
    hold(s, bytes);
    stop = s->stops ? stops_read(s->stops, &s->state, bytes, &read) : 0;
    s->size += bytes.size;
    if (stop) {
        s->size -= bytes.size - read + stop;
        s->stopped = true;
        send(s, before + read - stop, true);
        s->pending_size = 0;
        return false;
    }
    size_t depth = s->stops && s->stops->count ? s->stops->states[s->state].depth : 0;
    send(s, s->pending_size - depth, false);
    return true;
}

void stream_finish(Stream *s) {
    if (!s->stopped && s->pending_size) send(s, s->pending_size, true);
    s->stopped = true;
}
