/* The graders of texts that are cut without merging: Unigram's best path, RWKV's longest string. */
#include "small_vocabulary.h"

/* ------------------------------------------------------------------ the best path */

typedef enum Turn {
    NO_TURN,
    LONGEST_FIRST,
    FEWEST,
    LAST_FOUND,
    OWN_STEP_ONLY,
    USER_PRICED,
    UNKNOWN_FREE,
    LAST_FIRST,
    TURNS
} Turn;

static const char *const turn_hints[TURNS] = {
    [LONGEST_FIRST] =
        "the longest token is not always part of the best path: every token that begins here "
        "is to be tried",
    [FEWEST] =
        "the path with the highest sum of scores is wanted, not the one of fewest tokens",
    [LAST_FOUND] = "a place keeps the best way to it: what is found later may be worse",
    [OWN_STEP_ONLY] =
        "the score of a way is the sum of all its tokens', not that of the last one",
    [USER_PRICED] =
        "a token that a user defined costs nothing, whatever score the file gives it",
    [UNKNOWN_FREE] = "an unknown character costs unknown_score",
    [LAST_FIRST] = "walked from the end the tokens come out last first: turn them round",
};

/* The tokens of the best way to each place, all tokens tried at each. */
static void best_slowly(const Tokenizer *t, Text word, Turn turn, TokenList *tokens) {
    double best[64] = {0};
    int32_t last[64];
    size_t from[64], taken;
    for (size_t i = 1; i <= word.size; i++) best[i] = -INFINITY;
    for (size_t at = 0; at < word.size; at += taken) {
        bool known = false;
        size_t longest = 0;
        utf8_decode(word.data + at, word.size - at, &taken);
        for (size_t id = 3; id < t->count; id++)
            if (begins((Text){word.data + at, word.size - at}, t->symbols[id]) &&
                t->symbols[id].size > longest)
                longest = t->symbols[id].size;
        for (size_t id = 2; id < t->count; id++) {
            Text name = t->symbols[id];
            double score =
                t->types[id] == TOKEN_USER && turn != USER_PRICED ? 0 : t->scores[id];
            if (id == 2 || !begins((Text){word.data + at, word.size - at}, name)) continue;
            if (turn == LONGEST_FIRST && name.size < longest) continue;
            if (turn == FEWEST) score = -1;
            size_t end = at + name.size;
            double sum = turn == OWN_STEP_ONLY ? score : best[at] + score;
            if (isinf(best[at])) continue;
            known = known || name.size == taken;
            if (sum > best[end] || turn == LAST_FOUND)
                best[end] = sum, last[end] = (int32_t)id, from[end] = at;
        }
        double sum = best[at] + (turn == UNKNOWN_FREE ? 0 : t->unknown_score);
        if (!known && (sum > best[at + taken] || turn == LAST_FOUND))
            best[at + taken] = sum, last[at + taken] = t->unknown, from[at + taken] = at;
    }
    size_t n = 0, first = tokens->count;
    for (size_t at = word.size; at > 0; at = from[at], n++) token_list_add(tokens, last[at]);
    for (size_t i = 0; i < n / 2 && turn != LAST_FIRST; i++) {
        int32_t id = tokens->ids[first + i];
        tokens->ids[first + i] = tokens->ids[first + n - 1 - i];
        tokens->ids[first + n - 1 - i] = id;
    }
}

/* Letters a to d, and two of two bytes, of which one is no token. */
static size_t some_letters(char *out, size_t most) {
    static const char *const letters[] = {"a", "b", "c", "d", "\xC3\xBC", "\xC3\xA9"};
    size_t size = 0;
    while (size + 2 <= most) {
        const char *letter = letters[fresh_below(fresh_below(3) ? 4 : 6)];
        memcpy(out + size, letter, strlen(letter)), size += strlen(letter);
    }
    return size;
}

static Tokenizer *some_scores(void) {
    static SmallVocabulary v;
    char name[8];
    v.count = 0;
    add_name(&v, text_of("<pad>"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("</s>"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("<unk>"), TOKEN_UNKNOWN, 0);
    for (int i = 0; i < 4; i++)
        add_name(&v, (Text){&"abcd"[i], 1}, TOKEN_NORMAL, fresh_between(-6, -3));
    add_name(&v, text_of("\xC3\xBC"), TOKEN_NORMAL, fresh_between(-6, -3));
    for (int i = 0; i < 40; i++) {
        size_t size = some_letters(name, 2 + fresh_below(4));
        if (size > 2 || name[1] != '\xA9')
            add_name(&v, (Text){name, size}, TOKEN_NORMAL, fresh_between(-9, -3));
    }
    add_name(&v, text_of("bad\xC3\xBC"), TOKEN_USER, -30);
    return small_tokenizer(small_file(&v, "t5"));
}

/* The sum of the scores of tokens that make up the word; -INFINITY when they do not. */
static double sum_of(const Tokenizer *t, Text word, const TokenList *tokens) {
    double sum = 0;
    size_t at = 0, taken;
    for (size_t i = 1; i < tokens->count; i++) {
        int32_t id = tokens->ids[i];
        Text rest = {word.data + at, word.size - at};
        if (!rest.size || id < 2 || (size_t)id >= t->count) return -INFINITY;
        utf8_decode(rest.data, rest.size, &taken);
        if (id != t->unknown && !begins(rest, t->symbols[id])) return -INFINITY;
        bool free_of_charge = t->types[id] == TOKEN_USER;
        sum += id == t->unknown ? t->unknown_score : free_of_charge ? 0 : (double)t->scores[id];
        at += id == t->unknown ? taken : t->symbols[id].size;
    }
    return at == word.size ? sum : -INFINITY;
}

static void path_and_compare(Suspects *s, const Tokenizer *t, MergeRoom *room, Text word) {
    TokenList got = {0}, want = {0}, other = {0};
    Fault fault = {0};
    token_list_add(&got, 7), token_list_add(&want, 7);
    HINT(encode_best_path(t, word, room, &got, &fault), "refused: %s", fault.text);
    best_slowly(t, word, NO_TURN, &want);
    HINT(got.count && got.ids[0] == 7,
         "tokens are appended: those that are there already stay");
    bool as_good = close_to(sum_of(t, word, &got), sum_of(t, word, &want), 1e-4);
    for (Turn turn = 1; turn < TURNS && !as_good; turn++) {
        other.count = 0;
        token_list_add(&other, 7), best_slowly(t, word, turn, &other);
        suspect(s, (int)turn, &other, &got);
    }
    if (!as_good) compare_tokens(s, t, word, &got, &want);
    token_list_free(&got), token_list_free(&want), token_list_free(&other);
}

GRADE(best_path) {
    char word[60];
    Suspects suspects = {0};
    for (int round = 0; round < 20; round++) {
        Tokenizer *t = some_scores();
        MergeRoom room = {0};
        for (int i = 0; i < 20; i++)
            path_and_compare(&suspects, t, &room,
                             (Text){word, some_letters(word, 2 + fresh_below(30))});
        path_and_compare(&suspects, t, &room,
                         text_of("abad\xC3\xBC"
                                 "bad\xC3\xBC"));
        merge_room_free(&room), tokenizer_close(t);
    }
    suspects_end(&suspects, turn_hints, TURNS);
}

/* ------------------------------------------------------------------ the longest string */

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

GRADES({"5.15", best_path}, {"5.20", longest})
