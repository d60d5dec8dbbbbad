/* The graders of layer 6: characters, stop strings, what may be shown. */
#include "edge.h"
#include "inference.h"
#include "near.h"

DECLARE_SHIPPED(utf8_character);
DECLARE_SHIPPED(stream_push);

/* ------------------------------------------------------------------ characters */

/* Reading past the bytes is caught. */
static Text at_the_edge(const void *bytes, size_t size) {
    return (Text){memcpy(before_the_edge(size), bytes, size), size};
}

static void character_of(const unsigned char *p, size_t size) {
    char bytes[32] = "";
    Text text = at_the_edge(p, size);
    int want = SHIPPED(utf8_character)(p, size),
        got = utf8_character((const unsigned char *)text.data, size);
    if (got == want) return;
    for (size_t i = 0; i < size && i < 4; i++)
        sprintf(bytes + strlen(bytes), "%s%02x", i ? " " : "", p[i]);
    if (size > 4) sprintf(bytes + strlen(bytes), " and %zu more", size - 4);
    bool first = size > 1 && p[1] >= 0x80 && p[1] <= 0xBF;
    HINT(p[0] != 0xC0 && p[0] != 0xC1 && !(first && p[0] == 0xE0 && p[1] < 0xA0) &&
             !(first && p[0] == 0xF0 && p[1] < 0x90),
         "%s: a longer form of a character that has a shorter one: overlong, so not a "
         "character; expected %d, got %d",
         bytes, want, got);
    HINT(!(first && p[0] == 0xED && p[1] > 0x9F),
         "%s: U+D800 to U+DFFF are surrogates, no characters: expected %d, got %d", bytes, want,
         got);
    HINT(p[0] < 0xF5 && !(first && p[0] == 0xF4 && p[1] > 0x8F),
         "%s: beyond U+10FFFF there are no characters: expected %d, got %d", bytes, want, got);
    HINT(want != 0, "%s: it may be a character when more bytes come: 0, not %d", bytes, got);
    HINT(got >= 0 || want < 0, "%s is a character of %d bytes, got %d", bytes, want, got);
    HINT(want >= 0 || got >= 0,
         "%s: these can be no character, and %d of them belong to the beginning of one: minus "
         "so many; got %d",
         bytes, -want, got);
    HINT(want >= 0, "%s: no character can begin like this: expected %d, got %d", bytes, want,
         got);
    HINT(false, "%s: expected %d, got %d", bytes, want, got);
}

enum { LONG = 600 };

GRADE(characters) {
    static const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F,
                                          0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xF0, 0xFF};
    enum { EDGES = sizeof edges };
    unsigned char p[4] = {0, 0x80, 0x80, 0x80};
    for (int a = 0; a < 256; a++) {
        p[0] = (unsigned char)a;
        for (size_t i = 0; i < EDGES * EDGES * EDGES; i++) {
            p[1] = edges[i % EDGES], p[2] = edges[i / EDGES % EDGES],
            p[3] = edges[i / EDGES / EDGES];
            character_of(p, 4);
            for (size_t size = 1; size < 4 && i < EDGES * EDGES; size++) character_of(p, size);
        }
    }
    unsigned char text[LONG] = {0};
    for (int round = 0; round < 20000; round++) {
        uint64_t bits = fresh_bits();
        memcpy(text, &bits, 4);
        if (round % 2) text[0] |= 0xC0, text[1] = (unsigned char)(0x80 | (text[1] & 0x3F));
        character_of(text, 1 + fresh_below(round % 8 < 6 ? 4 : LONG));
    }
}

/* Printable bytes: all but ASCII letters as \xHH. */
static const char *plain(const char *bytes, size_t n) {
    static char buffers[4][4 * 512];
    static size_t next;
    char *out = buffers[next++ % 4];
    size_t at = 0;
    for (size_t i = 0; i < n && at + 5 < sizeof *buffers; i++)
        at += (size_t)sprintf(out + at, bytes[i] >= 32 && bytes[i] < 127 ? "%c" : "\\x%02x",
                              (unsigned char)bytes[i]);
    out[at] = 0;
    return out;
}

/* ------------------------------------------------------------------ stop strings */

enum { TEXTS = 6, LONGEST = 9, READ = 120 };

static char strings[TEXTS][LONGEST + 1];
static const char *texts[TEXTS];
static size_t n_texts;

static void fresh_strings(void) {
    n_texts = 1 + fresh_below(TEXTS);
    size_t letters = 2 + fresh_below(3);
    for (size_t i = 0; i < n_texts; i++) {
        size_t size = fresh_below(8) ? 1 + fresh_below(LONGEST) : 0;
        for (size_t k = 0; k < size; k++) strings[i][k] = "ab\xC3\xFF"[fresh_below(letters)];
        strings[i][size] = 0, texts[i] = strings[i];
    }
}

/* One of the strings' letters, now and then another byte, such as 0 or 255. */
static char fresh_letter(void) {
    return fresh_below(16) ? "ab\xC3"[fresh_below(3)] : "x\xFF\0\x80"[fresh_below(4)];
}

static void list_of(char *out, size_t size) {
    out[0] = 0;
    for (size_t i = 0; i < n_texts; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s\"%s\"", i ? ", " : "",
                 plain(texts[i], strlen(texts[i])));
}

/* The longest end of a text that begins a stop string, and the longest that is one. */
static size_t ends_with(const char *text, size_t n, bool whole) {
    size_t best = 0;
    for (size_t i = 0; i < n_texts; i++)
        for (size_t k = strlen(texts[i]); k > best; k--) {
            if (k <= n && memcmp(text + n - k, texts[i], k) == 0) best = k;
            if (whole) break;
        }
    return best;
}

static void stops_by_hand(void) {
    Stops s;
    Fault fault;
    char text[READ], list[600];
    list_of(list, sizeof list);
    NEED(stops_open(&s, texts, n_texts, &fault));
    int32_t state = 0;
    for (size_t n = 0; n < READ && s.count; n++) {
        text[n] = fresh_letter();
        state = stops_step(&s, state, (unsigned char)text[n]);
        size_t shown = n < 20 ? n + 1 : 20;
        const char *tail = plain(text + n + 1 - shown, shown);
        HINT(state >= 0 && (size_t)state < s.count,
             "stops %s, text \"%s\": state %d of %zu: where no path goes, one must be laid",
             list, tail, state, s.count);
        size_t depth = ends_with(text, n + 1, false), match = ends_with(text, n + 1, true);
        HINT(s.states[state].depth >= depth,
             "stops %s, text \"%s\": the last %zu bytes begin a stop string, the state says "
             "%u: where a state has no way on, go on as from its longest proper end",
             list, tail, depth, s.states[state].depth);
        HINT(s.states[state].depth <= depth,
             "stops %s, text \"%s\": no more than the last %zu bytes begin a stop string, "
             "the state says %u: depth is how many bytes lead to a state",
             list, tail, depth, s.states[state].depth);
        HINT(s.states[state].match == match || match > 0,
             "stops %s, text \"%s\": no stop string ends here, the state says one of %u "
             "bytes does",
             list, tail, s.states[state].match);
        HINT(s.states[state].match > 0 || match == 0 || match < depth,
             "stops %s, text \"%s\": the last %zu bytes are a stop string, and their state has "
             "no "
             "match: the last state of a string has its size, also where a longer one goes on",
             list, tail, match);
        HINT(s.states[state].match > 0 || match == 0,
             "stops %s, text \"%s\": a stop string of %zu bytes ends here, and the state has "
             "no match: one inside another has the match of fail",
             list, tail, match);
        HINT(s.states[state].match == match,
             "stops %s, text \"%s\": the longest stop string that ends here has %zu bytes, "
             "the state says %u",
             list, tail, match, s.states[state].match);
    }
    stops_close(&s);
}

/* A text in pieces, read up to the first stop string, and on from there. */
static void read_in_pieces(void) {
    Stops s;
    Fault fault;
    char text[READ], list[600];
    list_of(list, sizeof list);
    NEED(stops_open(&s, texts, n_texts, &fault));
    for (size_t i = 0; i < READ; i++) text[i] = fresh_letter();
    int32_t state = 0, want = 0;
    for (size_t from = 0; from < READ;) {
        size_t size = fresh_below(9), n = 0, read = 77, match = 0;
        if (from + size > READ) size = READ - from;
        while (s.count && n < size && !match) {
            want = stops_step(&s, want, (unsigned char)text[from + n++]);
            match = s.states[want].match;
        }
        size_t got = stops_read(&s, &state, at_the_edge(text + from, size), &read);
        const char *piece = plain(text + from, size);
        HINT(read <= n || !match,
             "stops %s, a piece \"%s\": a stop string is complete after %zu bytes, and %zu are "
             "read: stop there",
             list, piece, n, read);
        COUNT(read, n,
              "stops %s, a piece \"%s\": bytes that were read (all, where no stop string "
              "is complete; none where there are no stop strings)",
              list, piece);
        COUNT(got, match,
              "stops %s, a piece \"%s\": the length of the stop string that is complete, or 0",
              list, piece);
        HINT(state == want,
             "stops %s, after a piece \"%s\" the state is %d, expected %d: it moves on with "
             "every "
             "byte and is kept from one piece to the next",
             list, piece, state, want);
        from += n ? n : size ? size : 1;
    }
    stops_close(&s);
}

GRADE(stopping) {
    static const char *const first[] = {"abab", "ba\xC3", "bbab", "aab", "ab", "a"};
    for (n_texts = 1; n_texts <= 6; n_texts++) {
        for (size_t i = 0; i < n_texts; i++) texts[i] = first[i];
        for (int i = 0; i < 20; i++) stops_by_hand();
    }
    for (int round = 0; round < 200; round++)
        fresh_strings(), stops_by_hand(), read_in_pieces();
}

/* ------------------------------------------------------------------ what may be shown */

enum { LONG_READ = 3000 };

typedef struct Shown {
    char text[3 * LONG_READ];
    size_t size;
    bool half; /* a piece began or ended within a character */
} Shown;

static void show(void *context, Text text) {
    Shown *s = context;
    s->half = s->half || utf8_whole(text) < text.size;
    if (s->size + text.size > sizeof s->text) return;
    memcpy(s->text + s->size, text.data, text.size), s->size += text.size;
}

/* A text of `room` bytes, in pieces of less than `most`. */
static void shown_of(const Stops *stops, const char *list, size_t room, size_t most) {
    static char all[LONG_READ];
    static Shown got, want;
    Stream mine, ours;
    got = want = (Shown){.size = 0};
    stream_open(&mine, stops, show, &got), stream_open(&ours, stops, show, &want);
    size_t n = 0;
    while (n + most <= room) {
        size_t size = fresh_below(most);
        for (size_t i = 0; i < size; i++) {
            size_t r = fresh_below(room < LONG_READ || fresh_below(300) == 0 ? 20 : 14);
            all[n + i] = r < 8    ? 'a'
                         : r < 14 ? 'b'
                         : r < 17 ? '\xC3'
                         : r < 19 ? '\xA4'
                                  : "\xE2\0"[fresh_below(2)];
        }
        Text bytes = at_the_edge(all + n, size);
        n += size;
        bool going = SHIPPED(stream_push)(&ours, bytes), mine_going = stream_push(&mine, bytes);
        if (!going) {
            HINT(!mine_going,
                 "stops %s: \"%s\" ends with a stop string: false, and nothing more", list,
                 plain(all, n));
            HINT(got.size <= want.size,
                 "stops %s: of \"%s\" is shown what comes before the stop string, %zu bytes, "
                 "not %zu",
                 list, plain(all, n), want.size, got.size);
        } else {
            HINT(mine_going, "stops %s: \"%s\" is stopped, but has no stop string", list,
                 plain(all, n));
            HINT(got.size <= want.size || stops != NULL,
                 "\"%s\": half a character is shown: %zu bytes are out, expected %zu",
                 plain(all, n), got.size, want.size);
            HINT(got.size <= want.size,
                 "stops %s: of \"%s\" %zu bytes are out, expected %zu: the last %zu may become "
                 "a "
                 "stop string or are half a character",
                 list, plain(all, n), got.size, want.size, ours.pending_size);
            HINT(got.size >= want.size,
                 "stops %s: of \"%s\" %zu bytes may go out (%zu held are enough), and %zu are",
                 list, plain(all, n), want.size, ours.pending_size, got.size);
        }
        HINT(got.size == want.size && memcmp(got.text, want.text, want.size) == 0,
             "stops %s: of \"%s\" is shown \"%s\", expected \"%s\"", list, plain(all, n),
             plain(got.text, got.size), plain(want.text, want.size));
        HINT(
            !got.half,
            "stops %s: of \"%s\" each byte that goes out is right, but a character goes out in "
            "two pieces",
            list, plain(all, n));
        COUNT(mine.size, ours.size,
              "stops %s: size counts the bytes that came in, of a stopped text up to the stop "
              "string",
              list);
        if (!going) break;
    }
    bool again = stream_push(&mine, text_of(""));
    again = stream_push(&mine, text_of("more")) || again;
    HINT(!ours.stopped || (!again && got.size == want.size),
         "after a stop string nothing goes out, and stream_push returns false, for no bytes, "
         "too");
    SHIPPED(stream_push)(&ours, text_of("more"));
    COUNT(mine.size, ours.size,
          "size counts the bytes that came in, of a stopped text up to the stop string");
    stream_finish(&mine), stream_finish(&ours);
    HINT(got.size == want.size,
         "after stream_finish %zu bytes are out, expected %zu: is stopped set where a stop "
         "string came, and only there?",
         got.size, want.size);
    stream_close(&mine), stream_close(&ours);
}

GRADE(showing) {
    char list[600];
    Stops s;
    Fault fault;
    for (int round = 0; round < 60; round++) shown_of(NULL, "none", READ, 6);
    for (int round = 0; round < 6; round++) shown_of(NULL, "none", LONG_READ, LONG_READ / 2);
    for (int round = 0; round < 300; round++) {
        fresh_strings(), list_of(list, sizeof list);
        NEED(stops_open(&s, texts, n_texts, &fault));
        shown_of(&s, list, READ, 6);
        stops_close(&s);
    }
}

GRADES({"6.19", characters}, {"6.21", stopping}, {"6.22", showing})
