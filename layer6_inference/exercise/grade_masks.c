/* The graders of layer 6 on masks: the walk through the trie, the longest forced token. */
#include "../extras/grammar/token_mask.h"
#include "rows.h"

/* ------------------------------------------------------------------ the walk */

enum { TOKENS = 200, WORDS = 4, LETTERS = 8 }; /* WORDS of 64 bits */
static char words[TOKENS][LETTERS];
static Trie trie;

/* Words of a, b and c, some of them twice; how many rounds each takes is made up. */
static void fresh_words(uint32_t *count) {
    TrieEntry entries[TOKENS];
    Fault fault;
    for (int i = 0; i < TOKENS; i++) {
        size_t size = 1 + fresh_below(LETTERS - 2);
        for (size_t k = 0; k < size; k++) words[i][k] = (char)('a' + fresh_below(3));
        words[i][size] = 0;
        count[i] = (uint32_t)fresh_below(6);
        entries[i] = (TrieEntry){text_of(words[i]), i, count[i]};
    }
    NEED(trie_make(&trie, entries, TOKENS, &fault));
}

static uint32_t read_word(uint32_t row, const char *text) {
    while (*text && row != ROW_DEAD) row = row_next(&rows, row, (uint8_t)*text++);
    return row;
}

static void check_token(int i, bool got, bool lives, bool among, bool counts) {
    HINT(!got || lives,
         "\"%s\" is in the mask, and no text goes on with it: where row_next says ROW_DEAD, "
         "all that "
         "begins so is left out: on to node->skip",
         words[i]);
    HINT(!got || among, "\"%s\" is in the mask, and its node is outside from..end", words[i]);
    HINT(!got || counts,
         "\"%s\" is in the mask, though its rounds are not within low..high: take_tokens",
         words[i]);
    HINT(got || !(lives && among && counts),
         "token %d, \"%s\", goes on, and is not in the mask (its bit is id %% 64 of word id / "
         "64): "
         "is every node looked at, from the row after all of its bytes but the last "
         "(stack[depth - 1]), and are all its tokens taken?",
         i, words[i]);
}

/* The walk through all the words that begin with a letter (0: through all words); with `below`
 * the letter itself is not looked at. */
static void walk_from(const char *gbnf, char letter, bool below, Rounds r,
                      const uint32_t *count) {
    uint32_t stack[LETTERS + 2] = {0}, row = begin(gbnf),
                             node = letter ? trie.begin[(uint8_t)letter] : 0,
                             last = letter ? trie.node[node].skip : trie.count;
    const uint64_t was = (uint64_t)1 << 63;
    uint64_t mask[WORDS] = {0, 0, 0, was};
    MaskTable t = {.rows = &rows, .stack = stack};
    stack[0] = row;
    if (below) stack[1] = row_next(&rows, row, (uint8_t)letter);
    uint32_t before = stack[below];
    if (!below || before != ROW_DEAD) {
        mask_walk(&t, &trie, node + below, last, r, mask);
        HINT(mask[WORDS - 1] & was, "a bit that was set is gone: bits are added to the mask");
        HINT(stack[below] == before,
             "stack[%d], the row before the first of the nodes, is another one after the walk: "
             "the next walk begins there",
             below);
        for (int i = TOKENS; i-- > 0;)
            check_token(i, mask[i / 64] >> i % 64 & 1, read_word(row, words[i]) != ROW_DEAD,
                        !letter || (words[i][0] == letter && (!below || words[i][1])),
                        count[i] >= r.low && count[i] <= r.high);
        mask_walk(&t, &trie, node + below, node + below, r, memset(mask, 0, sizeof mask));
        for (int w = 0; w < WORDS; w++)
            HINT(mask[w] == 0, "from and end are the same: no node is looked at, no bit set");
    }
    end();
}

GRADE(walk) {
    static const char *const grammars[] = {
        "root ::= \"abc\" | \"ab\" \"c\"*",
        "root ::= [ab]* \"c\" [bc]",
        "root ::= \"a\" root? \"b\" | \"c\"",
        "root ::= (\"ab\" | \"cb\" | \"aa\")* \"b\"",
    };
    for (int round = 0; round < 100; round++) {
        uint32_t count[TOKENS];
        fresh_words(count);
        for (int i = 0; i < 24; i++) {
            char letter = (char)('a' + i % 3);
            Rounds r = i < 12 ? (Rounds){0, UINT32_MAX} : (Rounds){2, 4};
            if (byte_set_has(&trie.begins, (uint8_t)letter))
                walk_from(grammars[i % 4], letter, i % 2, r, count);
            walk_from(grammars[i % 4], 0, false, r, count);
        }
        trie_close(&trie);
    }
}

/* ------------------------------------------------------------------ the longest token */

static void longest(const char *text, size_t want, const char *so) {
    int32_t token = -1;
    size_t got = trie_longest(&trie, text_of(text), &token);
    SYMPTOM(got != want || want == 0 || token == (text[0] == 'x' ? 4 : (int32_t)want - 1),
            "the tokens are \"t\", \"th\", \"the\", \"them\" and \"x\".  The text begins with "
            "\"%s\", "
            "and trie_longest says token %d",
            text, token);
    SYMPTOM(got == want,
            "the tokens are \"t\", \"th\", \"the\", \"them\" and \"x\".  The grammar allows "
            "\"%s\" and then "
            "several bytes: %s, and trie_longest says %zu bytes",
            text, so, got);
}

/* Texts of a and b, by checking every token. */
static void longest_at_random(void) {
    uint32_t count[TOKENS];
    fresh_words(count);
    for (int round = 0; round < 2000; round++) {
        char text[LETTERS + 1] = "";
        size_t size = 1 + fresh_below(LETTERS - 1), want = 0;
        for (size_t k = 0; k < size; k++) text[k] = (char)('a' + fresh_below(3));
        bool more = false;
        for (int i = 0; i < TOKENS; i++) {
            size_t n = strlen(words[i]);
            more = more || (n > size && memcmp(words[i], text, size) == 0);
            if (n <= size && n > want && memcmp(words[i], text, n) == 0) want = n;
        }
        int32_t token = -1;
        size_t got = trie_longest(&trie, text_of(text), &token);
        if (more) want = 0;
        SYMPTOM(
            got == want && (got == 0 || (token >= 0 && token < TOKENS &&
                                         strncmp(words[token], text, got) == 0)),
            "of %d tokens at random %s: the text is \"%s\", the first token should have %zu "
            "bytes, and trie_longest says %zu, token %d",
            TOKENS, more ? "some begin with all of a text" : "no token is longer than a text",
            text, want, got, token);
    }
    trie_close(&trie);
}

GRADE(forced) {
    Fault fault;
    TrieEntry entries[] = {{text_of("t"), 0, 0},
                           {text_of("th"), 1, 0},
                           {text_of("the"), 2, 0},
                           {text_of("them"), 3, 0},
                           {text_of("x"), 4, 0}};
    NEED(trie_make(&trie, entries, 5, &fault));
    longest("thex", 3, "the first token can only be \"the\", 3 bytes");
    longest("them", 4, "no token is longer than \"them\", 4 bytes");
    longest("xx", 1, "the first token can only be \"x\", 1 byte");
    longest("thx", 2, "the first token can only be \"th\", 2 bytes");
    longest("q", 0, "no token begins so, 0 bytes");
    longest("the", 0,
            "the text may go on with m, and then the model would have written \"them\": 0 "
            "bytes, nothing can be told yet");
    longest("t", 0, "the model may be about to write \"th\": 0 bytes, nothing can be told yet");
    trie_close(&trie);
    longest_at_random();
}

GRADES({"6.29", walk}, {"6.31", forced})
