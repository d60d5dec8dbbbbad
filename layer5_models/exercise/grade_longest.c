/* The grader of RWKV's way: the longest string, again and again. */
#include "small_vocabulary.h"

typedef enum Skip { NO_SKIP, SHORTEST_STRING, FIRST_LISTED, GAPS, SKIPS } Skip;

static const char *const skip_hints[SKIPS] = {
    [SHORTEST_STRING] = "the longest token that the text begins with is wanted",
    [FIRST_LISTED] = "the longest one counts, not the one that stands first in the vocabulary",
    [GAPS] = "a byte that begins no token becomes the unknown token",
};

static void longest_slowly(const Tokenizer *t, Text text, Skip skip, TokenList *tokens) {
    while (text.size) {
        int32_t best = -1;
        for (size_t id = 1; id < t->count; id++) {
            if (!begins(text, t->symbols[id])) continue;
            size_t size = t->symbols[id].size, than = best < 0 ? 0 : t->symbols[best].size;
            bool better = best < 0 || (skip == SHORTEST_STRING ? size < than : size > than);
            if (skip == FIRST_LISTED) better = best < 0;
            if (better) best = (int32_t)id;
        }
        size_t size = best < 0 ? 1 : t->symbols[best].size;
        if (best >= 0 || skip != GAPS) token_list_add(tokens, best < 0 ? t->unknown : best);
        text = (Text){text.data + size, text.size - size};
    }
}

typedef struct Heard {
    size_t words, bytes;
} Heard;

static void hear(void *context, const TokenEvent *event) {
    Heard *heard = context;
    if (event->kind == EVENT_WORD) heard->words++, heard->bytes += event->text.size;
}

static void strings_and_compare(Suspects *s, const Tokenizer *t, Text text) {
    TokenList got = {0}, want = {0}, other = {0};
    Fault fault = {0};
    Heard heard = {0};
    HINT(tokenizer_explain(t, text, false, hear, &heard, &got, &fault), "refused: %s",
         fault.text);
    longest_slowly(t, text, NO_SKIP, &want);
    for (Skip skip = 1; skip < SKIPS; skip++) {
        other.count = 0;
        longest_slowly(t, text, skip, &other);
        suspect(s, (int)skip, &other, &got);
    }
    compare_tokens(s, t, text, &got, &want);
    HINT(s->wrong || (heard.words == want.count && heard.bytes == text.size),
         "words_tell() hears of each string with its token, so that --explain can show it: %zu "
         "strings of %zu bytes in all were told, of %zu of %zu bytes",
         heard.words, heard.bytes, want.count, text.size);
    token_list_free(&got), token_list_free(&want), token_list_free(&other);
}

GRADE(longest) {
    static SmallVocabulary v;
    Suspects suspects = {0};
    char name[8], text[40];
    for (int round = 0; round < 12; round++) {
        v.count = 0;
        add_name(&v, text_of("<|end|>"), TOKEN_CONTROL, 0);
        for (int i = 0; i < 40; i++) {
            size_t size = 1 + fresh_below(5);
            for (size_t k = 0; k < size; k++) name[k] = "abc "[fresh_below(4)];
            add_name(&v, (Text){name, size}, TOKEN_NORMAL, 0);
        }
        Tokenizer *t = small_tokenizer(small_file(&v, "rwkv"));
        t->unknown = (int32_t)fresh_below(v.count);
        for (int i = 0; i < 40; i++) {
            size_t size = fresh_below(sizeof text);
            for (size_t k = 0; k < size; k++) text[k] = "abc x"[fresh_below(round % 2 ? 4 : 5)];
            strings_and_compare(&suspects, t, (Text){text, size});
        }
        suspects_end(&suspects, skip_hints, SKIPS);
        TokenList tokens = {0};
        Fault fault = {0};
        t->unknown = -1;
        HINT(!tokenizer_encode(t, text_of("x"), false, &tokens, &fault),
             "a byte without a token, where there is none for what is unknown: false");
        HINT(strstr(fault.text, "0x78"), "the fault names the byte, 0x78; it says \"%s\"",
             fault.text);
        tokenizer_close(t);
    }
}

GRADES({"5.20", longest})
