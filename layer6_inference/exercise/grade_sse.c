/* The grader of events: a client that reads as the standard says, and what it receives. */
#include "grader.h"
#include "../extras/service/sse.h"

enum { ROOM = 20000, LONG = 9000 };

/* A client: the event it is reading, and what it has received. */
typedef struct Client {
    char data[ROOM], told[ROOM];
    size_t size, told_size, events;
    bool begun;
} Client;

static void end_of_event(Client *c) {
    if (!c->begun) return; /* nothing but comments */
    c->events++, c->begun = false;
    if (c->size) c->size--; /* the end of its last line */
    memcpy(c->told, c->data, c->size), c->told_size = c->size, c->size = 0;
}

static void read_line(Client *c, const char *line, size_t n) {
    if (n == 0) {
        end_of_event(c);
        return;
    }
    if (line[0] == ':') return;
    HINT(n >= 5 && memcmp(line, "data:", 5) == 0,
         "a line on the wire begins with '%.*s': a client passes over what begins neither with "
         "\"data:\" nor with a colon, so each line of a text needs \"data: \" in front",
         (int)(n < 20 ? n : 20), line);
    size_t from = n > 5 && line[5] == ' ' ? 6 : 5;
    memcpy(c->data + c->size, line + from, n - from), c->size += n - from;
    c->data[c->size++] = '\n', c->begun = true;
}

/* Lines end with \n, \r, or both. */
static void read_wire(Client *c, const char *bytes, size_t n) {
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n' && bytes[i] != '\r') continue;
        read_line(c, bytes + from, i - from);
        if (bytes[i] == '\r' && i + 1 < n && bytes[i + 1] == '\n') i++;
        from = i + 1;
    }
    HINT(from == n, "the last line on the wire has no end: %zu bytes hang over", n - from);
    HINT(!c->begun, "an event is not over: an empty line ends it");
}

static void as_words(char *out, const char *bytes, size_t n) {
    size_t at = 0;
    for (size_t i = 0; i < n && at < 200; i++)
        at += (size_t)sprintf(out + at,
                              bytes[i] == '\n'   ? "\\n"
                              : bytes[i] == '\r' ? "\\r"
                              : bytes[i] == 0    ? "\\0"
                                                 : "%c",
                              bytes[i]);
    out[at] = 0;
}

static void tells(const char *bytes, size_t n, bool ping) {
    static Client c;
    static char want[ROOM];
    char *wire = NULL, words[400], told[400];
    size_t size, w = 0;
    memset(&c, 0, sizeof c);
    FILE *out = open_memstream(&wire, &size);
    NEED(out);
    if (ping) sse_ping(out);
    sse_event(out, (Text){bytes, n});
    if (ping) sse_ping(out);
    fclose(out);
    read_wire(&c, wire, size);
    free(wire);
    as_words(words, bytes, n);
    COUNT(c.events, 1, "the text \"%s\"%s: events that a client is told", words,
          ping ? ", between two pings, which are comments" : "");
    for (size_t i = 0; i < n; i++) { /* every end of a line is a \n */
        if (bytes[i] == '\r' && i + 1 < n && bytes[i + 1] == '\n') continue;
        want[w++] = bytes[i] == '\r' ? '\n' : bytes[i];
    }
    as_words(told, c.told, c.told_size);
    HINT(c.told_size == w && memcmp(c.told, want, w) == 0,
         "of the text \"%s\", %zu bytes, a client is told \"%s\", %zu bytes: each of its lines "
         "is a line of data, however many and however long, a client removes one blank after "
         "the colon, and any byte may come, 0 as well",
         words, n, told, c.told_size);
}

/* A ping must not disturb a half-read event. */
static void a_ping(void) {
    char *wire = NULL, words[400];
    size_t size;
    FILE *out = open_memstream(&wire, &size);
    NEED(out);
    sse_ping(out);
    fclose(out);
    as_words(words, wire, size);
    HINT(size == 3 && memcmp(wire, ":\n\n", 3) == 0,
         "a ping on the wire is \"%s\": it is a comment without words, a colon and an empty "
         "line, for a connection lives by the bytes that come",
         words);
    free(wire);
}

GRADE(events) {
    static const char bytes[] = "ab {}\":\n\r\0 \xC3\xA9";
    static char lengthy[LONG];
    char text[60];
    tells("{\"content\": \"Once\"}", 19, false);
    tells(" upon", 5, false);
    tells("", 0, false);
    tells("one\ntwo", 7, false);
    tells("one\r\ntwo\rthree\n", 15, false);
    tells("\n\n", 2, false);
    tells("a\0b", 3, false);
    tells("[DONE]", 6, true);
    a_ping();
    for (size_t n = 100; n <= LONG; n += 890) {
        memset(lengthy, 'a', n), tells(lengthy, n, false);
        memset(lengthy, '\n', n), tells(lengthy, n, false);
    }
    for (int round = 0; round < 2000; round++) {
        size_t n = fresh_below(sizeof text);
        for (size_t i = 0; i < n; i++) text[i] = bytes[fresh_below(sizeof bytes - 1)];
        tells(text, n, fresh_below(2));
    }
}

GRADES({"6.36", events})
