/* The grader of Unigram's best path. */
#include "../extras/tokenizers/kind_data.h"
#include "small_vocabulary.h"

enum { LONGEST_WORD = 3000, PATH = 16 /* bytes: a sum of scores, a token, a place */ };

typedef enum Turn {
    NO_TURN,
    LONGEST_FIRST,
    FEWEST,
    LAST_FOUND,
    OWN_STEP_ONLY,
    USER_PRICED,
    UNKNOWN_FREE,
    UNKNOWN_TEN,
    KNOWN_BEGINNING,
    LAST_FIRST,
    TURNS
} Turn;

static const char *const turn_hints[TURNS] = {
    [LONGEST_FIRST] =
        "the longest token is not always part of the best path: every token that begins here "
        "is to be tried",
    [FEWEST] =
        "the path with the highest sum of scores is wanted, not the one of fewest tokens",
    [LAST_FOUND] = "a position keeps the best path to it: one found later may be worse",
    [OWN_STEP_ONLY] =
        "the score of a way is the sum of all its tokens', not that of the last one",
    [USER_PRICED] =
        "a token that a user defined costs nothing, whatever score the file gives it",
    [UNKNOWN_FREE] = "an unknown character costs unknown_score",
    [UNKNOWN_TEN] = "an unknown character costs unknown_score, which is another number in each "
                    "vocabulary",
    [KNOWN_BEGINNING] = "a character is unknown when it is no token by itself, whatever longer "
                        "tokens begin with it",
    [LAST_FIRST] = "walked from the end the tokens come out last first: reverse them",
};

/* The best path to each position, trying all tokens at each. */
static void best_slowly(const Tokenizer *t, Text word, Turn turn, TokenList *tokens) {
    static double best[LONGEST_WORD + 1];
    static int32_t last[LONGEST_WORD + 1];
    static size_t from[LONGEST_WORD + 1];
    size_t taken;
    best[0] = 0;
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
            known = known || name.size == taken || turn == KNOWN_BEGINNING;
            if (sum > best[end] || turn == LAST_FOUND)
                best[end] = sum, last[end] = (int32_t)id, from[end] = at;
        }
        double price = turn == UNKNOWN_FREE  ? 0
                       : turn == UNKNOWN_TEN ? -10
                                             : kind_data(t)->unknown_score,
               sum = best[at] + price;
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
        add_name(&v, (Text){&"abcd"[i], 1}, TOKEN_NORMAL, fresh_between(-6, -4));
    add_name(&v, text_of("\xC3\xBC"), TOKEN_NORMAL, fresh_between(-6, -4));
    add_name(&v,
             text_of("\xC3\xA9"
                     "b"),
             TOKEN_NORMAL, fresh_between(-30, -20));
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
        sum += id == t->unknown ? kind_data(t)->unknown_score
               : free_of_charge ? 0
                                : (double)t->scores[id];
        at += id == t->unknown ? taken : t->symbols[id].size;
    }
    return at == word.size ? sum : -INFINITY;
}

static void path_and_compare(Suspects *s, const Tokenizer *t, Scratch *room, Text word) {
    TokenList got = {0}, want = {0}, other = {0};
    Fault fault = {0};
    token_list_add(&got, 7), token_list_add(&want, 7);
    HINT(encode_best_path(t, word, room, &got, &fault), "refused: %s", fault.text);
    best_slowly(t, word, NO_TURN, &want);
    HINT(got.count && got.ids[0] == 7,
         "tokens are appended: those that are there already stay");
    bool as_good = close_to(sum_of(t, word, &got), sum_of(t, word, &want), 1e-4);
    for (Turn turn = 1; turn < TURNS; turn++) {
        other.count = 0;
        token_list_add(&other, 7), best_slowly(t, word, turn, &other);
        suspect(s, (int)turn, &other, &got);
    }
    if (!as_good) compare_tokens(s, t, word, &got, &want);
    token_list_free(&got), token_list_free(&want), token_list_free(&other);
}

/* A token as long as a word, and longer ones that the word is only the beginning of. */
static void long_tokens(void) {
    static SmallVocabulary v;
    static const size_t sizes[] = {9, 17, 33, 39};
    char name[LONGEST_NAME];
    Scratch room = {0};
    Fault fault = {0};
    v.count = 0;
    add_name(&v, text_of("<pad>"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("</s>"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("<unk>"), TOKEN_UNKNOWN, 0);
    for (size_t i = 0; i < LONGEST_NAME; i++) name[i] = "abcde"[i % 5];
    for (size_t i = 0; i < 5; i++) add_name(&v, (Text){name + i, 1}, TOKEN_NORMAL, -3);
    for (size_t i = 0; i < 4; i++) add_name(&v, (Text){name, sizes[i]}, TOKEN_NORMAL, -2);
    Tokenizer *t = small_tokenizer(small_file(&v, "t5"));
    for (size_t i = 0; i < 4; i++) {
        TokenList got = {0};
        HINT(encode_best_path(t, (Text){name, sizes[i]}, &room, &got, &fault), "refused: %s",
             fault.text);
        HINT(got.count == 1 && got.ids[0] == (int32_t)(8 + i),
             "every token that begins here is to be tried: a word of %zu bytes is a token, and "
             "it was cut into %zu",
             sizes[i], got.count);
        token_list_free(&got);
    }
    scratch_free(&room), tokenizer_close(t);
}

/* Room for 256 positions and 256 tokens: what a longer word writes past them can be seen. */
static void long_word(const Tokenizer *t, size_t size) {
    static char word[LONGEST_WORD];
    enum { THERE = 256, BEHIND = LONGEST_WORD + 16 };
    for (size_t i = 0; i < size; i++) word[i] = "abcd"[fresh_below(4)];
    unsigned char *paths = malloc((THERE + BEHIND) * PATH);
    Scratch room = {.paths = (struct Path *)paths, .max_paths = THERE};
    TokenList got = {malloc((THERE + BEHIND) * sizeof *got.ids), 1, THERE}, want = {0};
    Fault fault = {0};
    NEED(paths && got.ids);
    memset(paths + THERE * PATH, 0xA5, BEHIND * PATH);
    got.ids[0] = 7, token_list_add(&want, 7);
    HINT(encode_best_path(t, (Text){word, size}, &room, &got, &fault), "refused: %s",
         fault.text);
    for (size_t i = 0; room.max_paths == THERE && i < BEHIND * PATH; i++)
        HINT(paths[THERE * PATH + i] == 0xA5,
             "a long word: between and around %zu bytes are %zu positions, the first and the "
             "last included, and path_room() is asked for fewer",
             size, size + 1);
    HINT(got.count <= got.capacity,
         "a long word: %zu tokens were written into a list with room for %zu: "
         "token_list_reserve() makes room for all of them",
         got.count, got.capacity);
    best_slowly(t, (Text){word, size}, NO_TURN, &want);
    NUMBER(sum_of(t, (Text){word, size}, &got), sum_of(t, (Text){word, size}, &want), 1e-4,
           "a long word, of %zu bytes, is cut like a short one: its sum of scores may be as "
           "low as you like, and is above that of a position that no path has reached",
           size);
    scratch_free(&room), token_list_free(&got), token_list_free(&want);
}

/* The last character lacks its second byte. */
static void cut_off(const Tokenizer *t) {
    Scratch room = {0};
    TokenList got = {0};
    Fault fault = {0};
    HINT(encode_best_path(t, text_of("d\xC3"), &room, &got, &fault), "refused: %s", fault.text);
    HINT(got.count == 2 && got.ids[1] == t->unknown,
         "a character that is cut off at the end of the word (C3 alone) ends where the word "
         "ends, and is an unknown token");
    scratch_free(&room), token_list_free(&got);
}

GRADE(best_path) {
    static const size_t sizes[] = {255, 256, 257, 600, LONGEST_WORD};
    char word[60];
    Suspects suspects = {0};
    for (int round = 0; round < 20; round++) {
        Tokenizer *t = some_scores();
        Scratch room = {0};
        for (int i = 0; i < 20; i++)
            path_and_compare(&suspects, t, &room,
                             (Text){word, some_letters(word, 2 + fresh_below(30))});
        path_and_compare(&suspects, t, &room,
                         text_of("abad\xC3\xBC"
                                 "bad\xC3\xBC"));
        path_and_compare(&suspects, t, &room,
                         text_of("\xC3\xA9"
                                 "bad\xC3\xBC"));
        path_and_compare(&suspects, t, &room,
                         text_of("\xC3\xA9"
                                 "b"));
        scratch_free(&room), tokenizer_close(t);
    }
    suspects_end(&suspects, turn_hints, TURNS);
    long_tokens();
    Tokenizer *t = some_scores();
    cut_off(t);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) long_word(t, sizes[i]);
    tokenizer_close(t);
}

GRADES({"5.15", best_path})
