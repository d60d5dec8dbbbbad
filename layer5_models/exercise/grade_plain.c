/* The grader of WordPiece and its normalised words. */
#include "../extras/tokenizers/kind_data.h"
#include "small_vocabulary.h"
#include "unicode_case.h"

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
    FEW_IDEOGRAPHS,
    ASCII_STOPS,
    LATIN_SIGNS,
    NUMBERS_ALONE,
    LOW_CONTROLS,
    OTHERS_GONE,
    BY_CASE,
    UNKNOWN_ONE,
    MISREADS
} Misread;

static const char *const misread_hints[MISREADS] = {
    [WHOLE_ONLY] =
        "a word that is no token may be several: the longest first, then what follows "
        "it",
    [SHORTEST_PIECE] = "the longest token that the rest of the word begins with is wanted",
    [PART_UNKNOWN] =
        "when some part of a word is no token, the whole word is one unknown token",
    [FOUND_STAYS] = "drop the pieces found of a word if the rest of it is not a token",
    [CONTROLS_STAY] = "control characters are dropped",
    [MARKS_STAY] = "accents (UNICODE_MARK) are dropped where strip_accents says so",
    [MARKS_GO] = "accents stay where strip_accents does not say so",
    [REPLACED_STAY] = "the characters 0 and U+FFFD are dropped",
    [JOINED_STOPS] = "punctuation is a word by itself",
    [JOINED_SIGNS] = "symbols of ASCII, such as $ and +, are words by themselves",
    [ALL_SIGNS_ALONE] = "of symbols only those of ASCII are words by themselves: a euro sign "
                        "is part of its word",
    [JOINED_IDEOGRAPHS] = "an ideograph is a word by itself",
    [FEW_IDEOGRAPHS] = "there are more ideographs than those from 4E00 on: is_ideograph()",
    [ASCII_STOPS] = "punctuation beyond ASCII, such as a long dash, is a word by itself, too",
    [LATIN_SIGNS] = "of symbols only those of ASCII are words by themselves: those from 128 to "
                    "255 are part of their word",
    [NUMBERS_ALONE] = "numbers, such as a small raised 2, are part of their word",
    [LOW_CONTROLS] =
        "control characters are dropped, those beyond 32 as well (UNICODE_CONTROL)",
    [OTHERS_GONE] = "characters that Unicode has not assigned stay",
    [BY_CASE] = "accents are dropped where strip_accents says so, whatever lowercase says",
    [UNKNOWN_ONE] = "the unknown token is tokenizer->unknown, whichever that is",
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
        token_list_add(tokens, best >= 0 ? best : miss == UNKNOWN_ONE ? 1 : t->unknown);
        if (best < 0 && miss != PART_UNKNOWN) return;
        size_t size = best < 0 ? 1 : t->symbols[best].size;
        word = (Text){word.data + size, word.size - size};
    }
}

static bool slow_alone(uint32_t code, Misread miss) {
    UnicodeCategory category = unicode_category(code);
    if (category == UNICODE_PUNCTUATION)
        return miss != JOINED_STOPS && (code < 128 || miss != ASCII_STOPS);
    if (code == 0xB2) return miss == NUMBERS_ALONE;
    if (category == UNICODE_SYMBOL)
        return code < 128 ? miss != JOINED_SIGNS
                          : miss == ALL_SIGNS_ALONE || (code < 256 && miss == LATIN_SIGNS);
    if (code >= 0x3400 && code < 0x4DBF)
        return miss != FEW_IDEOGRAPHS && miss != JOINED_IDEOGRAPHS;
    return code >= 0x4E00 && code < 0x9FFF && miss != JOINED_IDEOGRAPHS;
}

static bool slow_dropped(const Tokenizer *t, uint32_t code, Misread miss) {
    UnicodeCategory category = unicode_category(code);
    if (code == 0 || code == 0xFFFD) return miss != REPLACED_STAY;
    if (category == UNICODE_CONTROL)
        return miss != CONTROLS_STAY && (code < 32 || miss != LOW_CONTROLS);
    if (code == 0x378) return miss == OTHERS_GONE;
    if (category != UNICODE_MARK) return false;
    return (miss == BY_CASE ? kind_data(t)->lowercase : kind_data(t)->strip_accents)
               ? miss != MARKS_STAY
               : miss == MARKS_GO;
}

static void wordpiece_slowly(const Tokenizer *t, Text text, Misread miss, TokenList *tokens) {
    char word[256] = "\xE2\x96\x81";
    size_t size = 3, taken;
    for (size_t at = 0; at < text.size; at += taken) {
        uint32_t code = utf8_decode(text.data + at, text.size - at, &taken);
        bool space = unicode_is_space(code);
        if (kind_data(t)->strip_accents) code = unicode_base(code);
        bool alone = !space && slow_alone(code, miss);
        if (!space && slow_dropped(t, code, miss)) continue;
        if (kind_data(t)->lowercase) code = unicode_lower(code);
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
                                         "\xE3\x90\x80",
                                         "\xE2\x80\x94",
                                         "\xC2\xA9",
                                         "\xC2\xB2",
                                         "\xC2\xAD",
                                         "\xCD\xB8",
                                         "\x01",
                                         "\xEF\xBF\xBD",
                                         "\t",
                                         "x"};
enum { CHARACTERS = sizeof characters / sizeof *characters };

static Tokenizer *some_pieces(bool lowercase) {
    static SmallVocabulary v;
    static const char *const specials[] = {"[PAD]", "[CLS]", "[UNK]", "[SEP]"};
    v.count = 0;
    for (int i = 0; i < 4; i++)
        add_name(&v, text_of(specials[i]), i == 2 ? TOKEN_UNKNOWN : TOKEN_CONTROL, 0);
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
    gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 2);
    gguf_put_int(w, "tokenizer.ggml.cls_token_id", GGUF_U32, 1);
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
        if (round % 3 == 2) ((KindData *)t->data)->strip_accents = !kind_data(t)->strip_accents;
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

GRADES({"5.16", pieces})
