/* The grader of RWKV's rule: the longest string, again and again. */
#include "small_vocabulary.h"
#include "tokenizers.h"

enum { LONGEST_TEXT = 4096, SOME = 16 };

typedef enum Skip {
    NO_SKIP,
    SHORTEST_STRING,
    FIRST_LISTED,
    GAPS,
    WHOLE_CHARACTER,
    SHORT_LOOK,
    SKIPS
} Skip;

static const char *const skip_hints[SKIPS] = {
    [SHORTEST_STRING] = "the longest token that the text begins with is wanted",
    [FIRST_LISTED] = "the longest one counts, not the first in the vocabulary",
    [GAPS] = "a byte that begins no token becomes the unknown token",
    [WHOLE_CHARACTER] =
        "a byte that begins no token becomes the unknown token, and so does each "
        "byte of a character of several",
    [SHORT_LOOK] = "the longest token counts, however long it is",
};

static void longest_slowly(const Tokenizer *t, Text text, Skip skip, TokenList *tokens) {
    while (text.size) {
        int32_t best = -1;
        for (size_t id = 1; id < t->count; id++) {
            if (!begins(text, t->symbols[id])) continue;
            size_t size = t->symbols[id].size, than = best < 0 ? 0 : t->symbols[best].size;
            bool better = best < 0 || (skip == SHORTEST_STRING ? size < than : size > than);
            if (skip == FIRST_LISTED) better = best < 0;
            if (skip == SHORT_LOOK && size > SOME) better = false;
            if (better) best = (int32_t)id;
        }
        size_t size = best < 0 ? 1 : t->symbols[best].size;
        if (best < 0 && skip == WHOLE_CHARACTER) utf8_decode(text.data, text.size, &size);
        if (best >= 0 || skip != GAPS) token_list_add(tokens, best < 0 ? t->unknown : best);
        text = (Text){text.data + size, text.size - size};
    }
}

/* ------------------------------------------------------------------ one text */

typedef struct Heard {
    size_t words, bytes;
    TokenList tokens;
} Heard;

static void hear(void *context, const TokenEvent *event) {
    Heard *heard = context;
    if (event->kind == EVENT_WORD) heard->words++, heard->bytes += event->text.size;
    if (event->kind == EVENT_TOKEN) token_list_add(&heard->tokens, event->id);
}

/* Does the work end before the text does? */
static bool ends_early(Suspects *s, Text text, const TokenList *got, const TokenList *want) {
    if (got->count >= want->count || memcmp(got->ids, want->ids, got->count * sizeof *got->ids))
        return false;
    if (!s->wrong)
        snprintf(
            s->first, sizeof s->first,
            "on until nothing of the text is left, whatever bytes it has: of %zu bytes came "
            "the first %zu tokens of %zu, and no more",
            text.size, got->count - 1, want->count - 1);
    return s->wrong = true;
}

static void was_told(const Heard *heard, Text text, const TokenList *want) {
    TokenList told = {want->ids + 1, want->count - 1, want->count - 1};
    HINT(heard->words == told.count && heard->bytes == text.size,
         "encoder_report() hears of each string with its token, so that --explain can show it: "
         "%zu "
         "strings of %zu bytes in all were told, of %zu of %zu bytes",
         heard->words, heard->bytes, told.count, text.size);
    HINT(same_tokens(&heard->tokens, &told),
         "encoder_report() is told from where on the list holds the string's tokens, and that "
         "is "
         "its last one: %zu tokens were shown with the strings, and there are %zu",
         heard->tokens.count, told.count);
}

static void strings_and_compare(Suspects *s, const Tokenizer *t, Text text) {
    TokenList got = {0}, want = {0}, other = {0};
    Fault fault = {0};
    Heard heard = {0};
    token_list_add(&got, 7), token_list_add(&want, 7);
    HINT(tokenizer_explain(t, text, false, hear, &heard, &got, &fault),
         "refused, though %d is the unknown token: %s", t->unknown, fault.text);
    HINT(got.count && got.ids[0] == 7,
         "tokens are appended: those that are there already stay");
    longest_slowly(t, text, NO_SKIP, &want);
    for (Skip skip = 1; skip < SKIPS; skip++) {
        other.count = 0;
        token_list_add(&other, 7), longest_slowly(t, text, skip, &other);
        suspect(s, (int)skip, &other, &got);
    }
    if (!ends_early(s, text, &got, &want)) compare_tokens(s, t, text, &got, &want);
    if (!s->wrong) was_told(&heard, text, &want);
    token_list_free(&got), token_list_free(&want), token_list_free(&other);
    token_list_free(&heard.tokens);
}

/* ------------------------------------------------------------------ some of them */

/* Names of few letters, most of them short. */
static Tokenizer *some_strings(SmallVocabulary *v) {
    char name[LONGEST_NAME];
    v->count = 0;
    add_name(v, text_of("<|end|>"), TOKEN_CONTROL, 0);
    for (int i = 0; i < 48; i++) {
        size_t size = i % 6 ? 1 + fresh_below(5) : SOME + 1 + fresh_below(LONGEST_NAME - SOME);
        for (size_t k = 0; k < size; k++) name[k] = "abc "[fresh_below(4)];
        add_name(v, (Text){name, size}, TOKEN_NORMAL, 0);
    }
    return small_tokenizer(small_file(v, "rwkv"));
}

/* Letters, and now and then a whole name; with `others` letters that no name has. */
static Text some_text(const SmallVocabulary *v, bool others, size_t parts, char *out) {
    static const Text letters[] = {
        {"a", 1}, {"b", 1},        {"c", 1}, {" ", 1},
        {"x", 1}, {"\xC3\xA9", 2}, {"", 1},  /* 0 */ {"\xE2\x82\xAC", 3}};
    size_t size = 0;
    while (parts--) {
        Text part = fresh_below(8) ? letters[fresh_below(others ? 8 : 4)]
                                   : v->names[1 + fresh_below(v->count - 1)];
        memcpy(out + size, part.data, part.size), size += part.size;
    }
    return (Text){out, size};
}

/* A vocabulary without an unknown token. */
static void nothing_unknown(Tokenizer *t) {
    static const struct {
        const char *text, *byte;
    } bytes[] = {{"x", "0x78"}, {"\xC3\xA9", "0xC3"}};
    t->unknown = -1;
    for (size_t i = 0; i < 2; i++) {
        TokenList tokens = {0};
        Fault fault = {0};
        HINT(!tokenizer_encode(t, text_of(bytes[i].text), false, &tokens, &fault),
             "a byte without a token, in a vocabulary without an unknown one: false");
        HINT(strcasestr(fault.text, bytes[i].byte),
             "the fault names the byte, as %s (a byte is unsigned); it says \"%s\"",
             bytes[i].byte, fault.text);
        token_list_free(&tokens);
    }
}

GRADE(longest) {
    static SmallVocabulary v;
    static char text[LONGEST_TEXT];
    Suspects suspects = {0};
    for (int round = 0; round < 12; round++) {
        Tokenizer *t = some_strings(&v);
        t->unknown = round ? (int32_t)fresh_below(v.count) : 0;
        for (int i = 0; i < 40; i++) {
            size_t parts = i % 10 == 9 ? LONGEST_TEXT / LONGEST_NAME : fresh_below(20);
            strings_and_compare(&suspects, t, some_text(&v, round % 2 == 0, parts, text));
        }
        suspects_end(&suspects, skip_hints, SKIPS);
        nothing_unknown(t);
        tokenizer_close(t);
    }
}

GRADES({"5.20", longest})
