/* The graders of what is written plainer: a table of forms, and WordPiece with its plain words. */
#include "charsmap_write.h"
#include "small_vocabulary.h"

DECLARE_SHIPPED(charsmap_replace);

/* ------------------------------------------------------------------ what is written plainer */

enum { ROWS = 40, LONGEST_STRING = 6 };

typedef enum Shortcut { NO_SHORTCUT, FIRST_HIT, ENDS_ANYWHERE, SHORTCUTS } Shortcut;

static const char *const shortcut_hints[SHORTCUTS] = {
    [FIRST_HIT] =
        "the longest string that has a replacement counts: the walk goes on after a hit",
    [ENDS_ANYWHERE] = "a string ends only where bit 8 of the entry says so; a beginning of a "
                      "longer one is none",
};

static char strings[ROWS][LONGEST_STRING + 1], forms[ROWS][8];
static PlainForm rows[ROWS];

static int by_bytes(const void *a, const void *b) {
    return strcmp(((const PlainForm *)a)->text, ((const PlainForm *)b)->text);
}

/* Strings of few letters, so that many begin alike; returns how many are different. */
static size_t some_rows(void) {
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t size = 1 + fresh_below(LONGEST_STRING), k = 0;
        for (; k < size; k++) strings[i][k] = "ab\xC3\xA9\xEF"[fresh_below(5)];
        strings[i][k] = 0;
        snprintf(forms[i], sizeof forms[i], "%.*s", (int)fresh_below(6), "vwxyz");
        rows[n++] = (PlainForm){strings[i], forms[i]};
    }
    qsort(rows, n, sizeof *rows, by_bytes);
    size_t to = 0;
    for (size_t i = 0; i < n; i++)
        if (!to || strcmp(rows[to - 1].text, rows[i].text) != 0) rows[to++] = rows[i];
    return to;
}

static void replace_slowly(size_t n, Text text, Shortcut shortcut, const char **form,
                           size_t *taken) {
    *form = "", *taken = 0;
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(rows[i].text), same = 0;
        while (same < size && same < text.size && rows[i].text[same] == text.data[same]) same++;
        size_t fits = shortcut == ENDS_ANYWHERE ? same : same == size ? size : 0;
        if (shortcut == FIRST_HIT ? fits && !*taken : fits > *taken)
            *form = rows[i].form, *taken = fits;
    }
}

static Charsmap read_map(const int64_t *numbers, size_t size) {
    static unsigned char bytes[CHARSMAP_MOST];
    Charsmap map;
    Fault fault;
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)numbers[i];
    NEED(charsmap_read(&map, bytes, size, &fault));
    return map;
}

static size_t some_text(char *out) {
    size_t size = fresh_below(10);
    for (size_t k = 0; k < size; k++) out[k] = "ab\xC3\xA9\xEF"[fresh_below(5)];
    return size;
}

static void replace_and_compare(const Charsmap *map, size_t n) {
    char bytes[16];
    const char *form, *other;
    size_t taken, want, wrong;
    Text text = {bytes, some_text(bytes)}, got = charsmap_replace(map, text, &taken);
    replace_slowly(n, text, NO_SHORTCUT, &form, &want);
    for (Shortcut s = 1; s < SHORTCUTS && taken != want; s++) {
        replace_slowly(n, text, s, &other, &wrong);
        HINT(taken != wrong, "%s", shortcut_hints[s]);
    }
    COUNT(taken, want, "the bytes of the text that are replaced (0: the table has nothing)");
    HINT(
        got.size == strlen(form) && memcmp(got.data, form, got.size) == 0,
        "what stands for it: expected \"%s\", got \"%.*s\": the number of the entry at the way "
        "on, without its highest bit, is the place in `replacements`",
        form, (int)got.size, got.data);
}

/* Any numbers in the place of the table: what a broken file holds. */
static void any_table(void) {
    static int64_t numbers[CHARSMAP_MOST];
    size_t size = 4 + 4 * 64 + 40, taken, want;
    numbers[0] = 0, numbers[1] = 1;
    for (int i = 0; i < 400; i++) {
        char bytes[16];
        for (size_t k = 4; k < size; k++) numbers[k] = (int64_t)fresh_below(256);
        for (size_t e = 0; e < 64;
             e++) { /* mostly an entry that some byte leads to, and near */
            numbers[4 + 4 * e] = (int64_t)fresh_below(64), numbers[7 + 4 * e] = 0;
            if (fresh_below(4)) numbers[6 + 4 * e] = 0, numbers[5 + 4 * e] &= 0xFD;
        }
        Charsmap map = read_map(numbers, size);
        for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (char)fresh_below(64);
        Text text = {bytes, sizeof bytes}, got = charsmap_replace(&map, text, &taken),
             right = SHIPPED(charsmap_replace)(&map, text, &want);
        HINT(taken == want && text_equal(got, right),
             "a table of a file that is damaged: a way that leads out of the table, or a place "
             "out of the replacements, counts as nothing (here %zu bytes are replaced, and it "
             "should be %zu)",
             taken, want);
        charsmap_free(&map);
    }
}

GRADE(plainer) {
    static int64_t numbers[CHARSMAP_MOST];
    size_t taken = 9;
    Charsmap none = {0};
    Text nothing = charsmap_replace(&none, text_of("ab"), &taken);
    HINT(nothing.size == 0 && taken == 0, "without a table nothing is replaced: *taken is 0");
    for (int round = 0; round < 30; round++) {
        size_t n = some_rows();
        Charsmap map = read_map(numbers, charsmap_write(rows, n, numbers));
        for (int i = 0; i < 60; i++) replace_and_compare(&map, n);
        charsmap_free(&map);
    }
    for (int round = 0; round < 20; round++) any_table();
}

/* ------------------------------------------------------------------ WordPiece */

typedef enum Misread {
    NO_MISREAD,
    WHOLE_ONLY,
    SHORTEST_PIECE,
    PART_UNKNOWN,
    FOUND_STAYS,
    CONTROLS_STAY,
    MARKS_STAY,
    MARKS_GO,
    REPLACED_STAY,
    JOINED_STOPS,
    JOINED_SIGNS,
    ALL_SIGNS_ALONE,
    JOINED_IDEOGRAPHS,
    MISREADS
} Misread;

static const char *const misread_hints[MISREADS] = {
    [WHOLE_ONLY] =
        "a word that is no token may be several: the longest first, then what follows "
        "it",
    [SHORTEST_PIECE] = "the longest token that the rest of the word begins with is wanted",
    [PART_UNKNOWN] =
        "when some part of a word is no token, the whole word is one unknown token",
    [FOUND_STAYS] = "what was found of a word is taken back when the rest of it is no token",
    [CONTROLS_STAY] = "control characters are dropped",
    [MARKS_STAY] = "accents (UNICODE_MARK) are dropped where strip_accents says so",
    [MARKS_GO] = "accents stay where strip_accents does not say so",
    [REPLACED_STAY] = "the characters 0 and U+FFFD are dropped",
    [JOINED_STOPS] = "punctuation is a word by itself",
    [JOINED_SIGNS] = "symbols of ASCII, such as $ and +, are words by themselves",
    [ALL_SIGNS_ALONE] =
        "of symbols only those of ASCII stand alone: a euro sign is part of its "
        "word",
    [JOINED_IDEOGRAPHS] = "an ideograph is a word by itself",
};

static void pieces_slowly(const Tokenizer *t, Text word, Misread miss, TokenList *tokens) {
    size_t first = tokens->count;
    if (word.size == 3) return; /* U+2581 alone */
    while (word.size) {
        int32_t best = -1;
        for (size_t id = 0; id < t->count; id++) {
            if (!begins(word, t->symbols[id])) continue;
            bool better = best < 0 || (miss == SHORTEST_PIECE) ==
                                          (t->symbols[id].size < t->symbols[best].size);
            if (miss == WHOLE_ONLY) better = t->symbols[id].size == word.size;
            if (better) best = (int32_t)id;
        }
        if (best < 0 && miss != FOUND_STAYS && miss != PART_UNKNOWN) tokens->count = first;
        token_list_add(tokens, best < 0 ? t->unknown : best);
        if (best < 0 && miss != PART_UNKNOWN) return;
        size_t size = best < 0 ? 1 : t->symbols[best].size;
        word = (Text){word.data + size, word.size - size};
    }
}

static bool slow_alone(uint32_t code, Misread miss) {
    UnicodeCategory category = unicode_category(code);
    if (category == UNICODE_PUNCTUATION) return miss != JOINED_STOPS;
    if (category == UNICODE_SYMBOL)
        return code < 128 ? miss != JOINED_SIGNS : miss == ALL_SIGNS_ALONE;
    return code >= 0x4E00 && code < 0x9FFF && miss != JOINED_IDEOGRAPHS;
}

static bool slow_dropped(const Tokenizer *t, uint32_t code, Misread miss) {
    UnicodeCategory category = unicode_category(code);
    if (code == 0 || code == 0xFFFD) return miss != REPLACED_STAY;
    if (category == UNICODE_CONTROL) return miss != CONTROLS_STAY;
    if (category != UNICODE_MARK) return false;
    return t->strip_accents ? miss != MARKS_STAY : miss == MARKS_GO;
}

static void wordpiece_slowly(const Tokenizer *t, Text text, Misread miss, TokenList *tokens) {
    char word[256] = "\xE2\x96\x81";
    size_t size = 3, taken;
    for (size_t at = 0; at < text.size; at += taken) {
        uint32_t code = utf8_decode(text.data + at, text.size - at, &taken);
        bool space = unicode_is_space(code);
        if (t->strip_accents) code = unicode_base(code);
        bool alone = !space && slow_alone(code, miss);
        if (!space && slow_dropped(t, code, miss)) continue;
        if (t->lowercase) code = unicode_lower(code);
        if (space || alone) pieces_slowly(t, (Text){word, size}, miss, tokens), size = 3;
        if (!space) size += utf8_encode(code, word + size);
        if (alone) pieces_slowly(t, (Text){word, size}, miss, tokens), size = 3;
    }
    pieces_slowly(t, (Text){word, size}, miss, tokens);
}

static const char *const characters[] = {"a",
                                         "b",
                                         "c",
                                         "A",
                                         "B",
                                         " ",
                                         " ",
                                         "\xC3\xA9",
                                         "e",
                                         "e\xCC\x81",
                                         ".",
                                         "'",
                                         "$",
                                         "+",
                                         "\xE2\x82\xAC",
                                         "\xE4\xB8\xAD",
                                         "\x01",
                                         "\xEF\xBF\xBD",
                                         "\t",
                                         "x"};
enum { CHARACTERS = sizeof characters / sizeof *characters };

static Tokenizer *some_pieces(bool lowercase) {
    static SmallVocabulary v;
    static const char *const specials[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
    v.count = 0;
    for (int i = 0; i < 4; i++)
        add_name(&v, text_of(specials[i]), i == 1 ? TOKEN_UNKNOWN : TOKEN_CONTROL, 0);
    for (int i = 0; i < 150; i++) {
        char name[40] = "\xE2\x96\x81";
        size_t size = fresh_below(2) ? 3 : 0, more = 1 + fresh_below(4);
        while (more--) {
            const char *c = characters[fresh_below(CHARACTERS - 1)]; /* no x: unknown */
            if (*c != ' ' && *c != '\t') memcpy(name + size, c, strlen(c)), size += strlen(c);
        }
        if (size > 3 || (size && name[0] != '\xE2'))
            add_name(&v, (Text){name, size}, TOKEN_NORMAL, 0);
    }
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "%c", "abcde"[i]);
        add_name(&v, text_of(name), TOKEN_NORMAL, 0);
        snprintf(name, sizeof name, "\xE2\x96\x81%c", "abcde"[i]);
        add_name(&v, text_of(name), TOKEN_NORMAL, 0);
    }
    GgufWriter *w = small_file(&v, "bert");
    gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 1);
    gguf_put_int(w, "tokenizer.ggml.cls_token_id", GGUF_U32, 2);
    gguf_put_int(w, "tokenizer.ggml.seperator_token_id", GGUF_U32, 3);
    gguf_put_int(w, "tokenizer.ggml.normalizer.lowercase", GGUF_BOOL, lowercase);
    return small_tokenizer(w);
}

static void pieces_and_compare(Suspects *s, const Tokenizer *t, Text text) {
    TokenList got = {0}, want = {0}, other = {0};
    Fault fault = {0};
    HINT(tokenizer_encode(t, text, false, &got, &fault), "refused: %s", fault.text);
    wordpiece_slowly(t, text, NO_MISREAD, &want);
    for (Misread miss = 1; miss < MISREADS; miss++) {
        other.count = 0;
        wordpiece_slowly(t, text, miss, &other);
        suspect(s, (int)miss, &other, &got);
    }
    compare_tokens(s, t, text, &got, &want);
    token_list_free(&got), token_list_free(&want), token_list_free(&other);
}

GRADE(pieces) {
    Suspects suspects = {0};
    for (int round = 0; round < 12; round++) {
        Tokenizer *t = some_pieces(round % 2);
        for (int i = 0; i < 60; i++) {
            char text[64];
            size_t size = 0, n = 1 + fresh_below(12);
            while (n--) {
                const char *c = characters[fresh_below(CHARACTERS)];
                memcpy(text + size, c, strlen(c)), size += strlen(c);
            }
            pieces_and_compare(&suspects, t, (Text){text, size});
        }
        tokenizer_close(t);
    }
    suspects_end(&suspects, misread_hints, MISREADS);
    Tokenizer *t = some_pieces(true);
    TokenList tokens = {0};
    Fault fault = {0};
    t->unknown = -1;
    HINT(!tokenizer_encode(t, text_of("xx"), false, &tokens, &fault) && fault.text[0],
         "a word that is unknown, in a vocabulary without a token for that: false, with a "
         "fault");
    tokenizer_close(t);
}

GRADES({"5.16", pieces}, {"5.18", plainer})
