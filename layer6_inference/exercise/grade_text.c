/* The graders of layer 6: characters, stop strings, what may be shown, when a text is over. */
#include "inference.h"
#include "near.h"

#include "../../layer5_models/src/tokenizer/vocab.h" /* which tokens end a text */

DECLARE_SHIPPED(utf8_character);
DECLARE_SHIPPED(stream_push);

/* ------------------------------------------------------------------ characters */

static void character_of(const unsigned char *p, size_t size) {
    char bytes[32] = "";
    int want = SHIPPED(utf8_character)(p, size), got = utf8_character(p, size);
    if (got == want) return;
    for (size_t i = 0; i < size; i++)
        sprintf(bytes + strlen(bytes), "%s%02x", i ? " " : "", p[i]);
    bool first = size > 1 && p[1] >= 0x80 && p[1] <= 0xBF;
    HINT(p[0] != 0xC0 && p[0] != 0xC1 && !(first && p[0] == 0xE0 && p[1] < 0xA0) &&
             !(first && p[0] == 0xF0 && p[1] < 0x90),
         "%s: a longer form of a character that has a shorter one: overlong, none at all; "
         "expected %d, got %d",
         bytes, want, got);
    HINT(!(first && p[0] == 0xED && p[1] > 0x9F),
         "%s: U+D800 to U+DFFF are surrogates, no characters: expected %d, got %d", bytes, want,
         got);
    HINT(p[0] < 0xF5 && !(first && p[0] == 0xF4 && p[1] > 0x8F),
         "%s: beyond U+10FFFF there is none: expected %d, got %d", bytes, want, got);
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
    for (int round = 0; round < 20000; round++) {
        uint64_t bits = fresh_bits();
        memcpy(p, &bits, 4);
        if (round % 2) p[0] |= 0xC0, p[1] = (unsigned char)(0x80 | (p[1] & 0x3F));
        character_of(p, 1 + fresh_below(4));
    }
}

/* Bytes for a person: those of no plain letter as \xHH. */
static const char *plain(const char *bytes, size_t n) {
    static char buffers[4][4 * 512];
    static size_t next;
    char *out = buffers[next++ % 4];
    size_t at = 0;
    for (size_t i = 0; i < n && at + 5 < sizeof *buffers; i++)
        at += (size_t)sprintf(out + at, (unsigned char)bytes[i] < 127 ? "%c" : "\\x%02x",
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
    size_t letters = 2 + fresh_below(2);
    for (size_t i = 0; i < n_texts; i++) {
        size_t size = fresh_below(8) ? 1 + fresh_below(LONGEST) : 0;
        for (size_t k = 0; k < size; k++)
            strings[i][k] = (char)("ab\xC3"[fresh_below(letters)]);
        strings[i][size] = 0, texts[i] = strings[i];
    }
}

static void list_of(char *out, size_t size) {
    out[0] = 0;
    for (size_t i = 0; i < n_texts; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s\"%s\"", i ? ", " : "",
                 plain(texts[i], strlen(texts[i])));
}

/* The longest end of a text that begins a stop string (a whole one too), and the longest that is one. */
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
    size_t letters = 3;
    int32_t state = 0;
    for (size_t n = 0; n < READ && s.count; n++) {
        text[n] = (char)("ab\xC3x"[fresh_below(16) ? fresh_below(letters) : 3]);
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
    for (size_t i = 0; i < READ; i++) text[i] = "ab\xC3x"[fresh_below(16) ? fresh_below(3) : 3];
    int32_t state = 0, want = 0;
    for (size_t from = 0; from < READ;) {
        size_t size = fresh_below(9), n = 0, read = 77, match = 0;
        if (from + size > READ) size = READ - from;
        while (s.count && n < size && !match) {
            want = stops_step(&s, want, (unsigned char)text[from + n++]);
            match = s.states[want].match;
        }
        size_t got = stops_read(&s, &state, (Text){text + from, size}, &read);
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

typedef struct Shown {
    char text[4 * READ];
    size_t size;
} Shown;

static void show(void *context, Text text) {
    Shown *s = context;
    if (s->size + text.size > sizeof s->text) return;
    memcpy(s->text + s->size, text.data, text.size), s->size += text.size;
}

static void shown_of(const Stops *stops, const char *list) {
    Stream mine, ours;
    Shown got = {.size = 0}, want = {.size = 0};
    stream_open(&mine, stops, show, &got), stream_open(&ours, stops, show, &want);
    char all[READ];
    size_t n = 0;
    while (n + 8 < READ) {
        size_t size = fresh_below(6), held;
        for (size_t i = 0; i < size; i++) {
            unsigned r = (unsigned)fresh_below(20);
            all[n + i] = r < 8    ? 'a'
                         : r < 14 ? 'b'
                         : r < 17 ? '\xC3'
                         : r < 19 ? '\xA4'
                                  : '\xE2';
        }
        Text bytes = {all + n, size};
        n += size;
        bool going = SHIPPED(stream_push)(&ours, bytes), mine_going = stream_push(&mine, bytes);
        held = ours.size - want.size;
        if (!going) {
            HINT(!mine_going,
                 "stops %s: \"%s\" ends with a stop string: false, and nothing more", list,
                 plain(all, n));
            HINT(got.size <= want.size,
                 "stops %s: of \"%s\" is shown what comes before the stop string, %zu bytes, "
                 "not %zu",
                 list, plain(all, n), want.size, got.size);
        } else {
            HINT(mine_going, "stops %s: \"%s\" is said to be stopped, and has no stop string",
                 list, plain(all, n));
            HINT(got.size <= want.size || stops != NULL,
                 "\"%s\": half a character is shown: %zu bytes are out, expected %zu",
                 plain(all, n), got.size, want.size);
            HINT(got.size <= want.size,
                 "stops %s: \"%s\" is shown up to byte %zu, but from byte %zu on it may "
                 "become a stop string or is half a character",
                 list, plain(all, n), got.size, want.size);
            HINT(got.size >= want.size,
                 "stops %s: of \"%s\" %zu bytes may go out (%zu held are enough), and %zu are",
                 list, plain(all, n), want.size, held, got.size);
        }
        HINT(got.size == want.size && memcmp(got.text, want.text, want.size) == 0,
             "stops %s: of \"%s\" is shown \"%s\", expected \"%s\"", list, plain(all, n),
             plain(got.text, got.size), plain(want.text, want.size));
        COUNT(mine.size, ours.size,
              "stops %s: size counts the bytes that came in, of a stopped text up to the stop "
              "string",
              list);
        if (!going) break;
    }
    bool again = stream_push(&mine, text_of("more"));
    HINT(!ours.stopped || (!again && got.size == want.size),
         "after a stop string nothing goes out, and stream_push returns false");
    if (!ours.stopped) SHIPPED(stream_push)(&ours, text_of("more"));
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
    for (int round = 0; round < 60; round++) shown_of(NULL, "none");
    for (int round = 0; round < 300; round++) {
        fresh_strings(), list_of(list, sizeof list);
        NEED(stops_open(&s, texts, n_texts, &fault));
        shown_of(&s, list);
        stops_close(&s);
    }
}

/* ------------------------------------------------------------------ over? */

static void before_of(const Tokenizer *t, int32_t token, const Limits *l) {
    StopReason got = STOP_CALLER, want = STOP_CALLER;
    bool end = l->only_bos_ends ? token == tokenizer_bos(t) : tokenizer_is_end(t, token);
    if (end) want = STOP_END;
    for (size_t i = 0; !end && i < l->n_stop_ids; i++)
        if (l->stop_ids[i] == token) want = STOP_ID;
    bool over = ends_before(l, t, token, &got);
    HINT(!(end && l->only_bos_ends) || over,
         "with only_bos_ends the token that begins documents ends one, and does not here");
    HINT(!(l->only_bos_ends && want == STOP_CALLER) || !over,
         "with only_bos_ends token %d ends nothing: only the token that begins documents does",
         token);
    HINT(over || want == STOP_CALLER, "token %d ends the text (%s), and is taken", token,
         stop_reason_name(want));
    HINT(!over || want != STOP_CALLER, "token %d ends nothing", token);
    TEXT(stop_reason_name(got), stop_reason_name(want),
         "token %d: *reason (the model's own end is looked at first; where nothing ends, it is "
         "left as it was)",
         token);
}

static bool repeats(const int32_t *tokens, size_t n, size_t times) {
    for (size_t size = 1; size <= 64; size++) {
        size_t i = 0, total = size * times;
        if (times < 2 || total > n) continue;
        while (i + size < total && tokens[n - total + i] == tokens[n - total + i + size]) i++;
        if (i + size == total) return true;
    }
    return false;
}

static void circle_of(const int32_t *tokens, size_t n, size_t times, size_t piece) {
    bool want = repeats(tokens, n, times), got = ends_in_repetition(tokens, n, times);
    HINT(got == want || want,
         "a piece came %zu times in a row at most, and %zu were asked for: no repetition "
         "(pieces of 1 to 64 tokens; with fewer than 2 times never)",
         times > 0 ? times - 1 : 0, times);
    HINT(got == want,
         "the text of %zu tokens ends with a piece of %zu that came %zu times: a repetition", n,
         piece, times);
}

static void after_of(const Limits *l, size_t count, size_t room, double ago, bool circle) {
    static int32_t tokens[40];
    for (size_t i = 0; i < count; i++) tokens[i] = circle ? (int32_t)(i % 2) : (int32_t)i;
    StopReason got = STOP_CALLER, want = STOP_CALLER;
    if (l->repeats && repeats(tokens, count, l->repeats)) want = STOP_REPEAT;
    if (l->max_seconds > 0 && ago >= l->max_seconds) want = STOP_TIME;
    if (room == 0) want = STOP_CONTEXT;
    if (count >= l->max_tokens) want = STOP_LIMIT;
    bool over = ends_after(l, tokens, count, room, clock_seconds() - ago, &got);
    HINT(over || want == STOP_CALLER,
         "%zu tokens of at most %zu, room for %zu, %g of %g seconds, repeats %zu: over (%s), "
         "got false",
         count, l->max_tokens, room, ago, l->max_seconds, l->repeats, stop_reason_name(want));
    HINT(!over || want != STOP_CALLER,
         "%zu tokens of at most %zu, room for %zu, %g of %g seconds (0: as long as it takes), "
         "repeats %zu (0: never): not over, got \"%s\"",
         count, l->max_tokens, room, ago, l->max_seconds, l->repeats, stop_reason_name(got));
    TEXT(stop_reason_name(got), stop_reason_name(want),
         "the first that holds is why: limit, room, time, repetition");
}

GRADE(over) {
    static Model model;
    Fault fault;
    NEED(model_open(&model, "layer5_models/models/storyteller.gguf", &fault));
    const Tokenizer *t = model.tokenizer;
    int32_t bos = tokenizer_bos(t), end = 0;
    while (!tokenizer_is_end(t, end)) end++;
    model.tokenizer->is_end[333] = 1; /* another one, as of turns */
    for (int round = 0; round < 200; round++) {
        int32_t ids[3] = {(int32_t)(300 + fresh_below(20)), (int32_t)(300 + fresh_below(20)),
                          end};
        Limits l = {
            .stop_ids = ids, .n_stop_ids = fresh_below(4), .only_bos_ends = fresh_below(2)};
        int32_t token =
            (int32_t[]){bos, 333, (int32_t)(300 + fresh_below(20)), 7}[fresh_below(4)];
        before_of(t, token, &l);
    }
    static int32_t tokens[400];
    for (int round = 0; round < 300; round++) {
        size_t piece = 1 + fresh_below(round % 2 ? 5 : 70), times = fresh_below(5),
               n = 20 + fresh_below(300);
        for (size_t i = 0; i < n; i++) tokens[i] = (int32_t)fresh_below(50);
        size_t tail = piece * (fresh_below(2) ? times : times ? times - 1 : 0);
        for (size_t i = n > tail ? n - tail : 0; i < n; i++)
            if (i >= piece && i >= n - tail + piece) tokens[i] = tokens[i - piece];
        if (fresh_below(3) == 0) tokens[n - 1 - fresh_below(3)] = 99;
        circle_of(tokens, n, times, piece);
        circle_of(tokens + n, 0, times, 0);
    }
    for (int round = 0; round < 400; round++) {
        Limits l = {.max_tokens = fresh_below(3) ? SIZE_MAX : 1 + fresh_below(20),
                    .max_seconds = fresh_below(2) ? 0 : 5,
                    .repeats = fresh_below(2) ? 0 : 2 + fresh_below(4)};
        after_of(&l, 1 + fresh_below(20), fresh_below(3), fresh_below(2) ? 0.5 : 60,
                 fresh_below(3) == 0);
    }
}

GRADES({"6.5", over}, {"6.19", characters}, {"6.21", stopping}, {"6.22", showing})
