/* The graders of words and tokens: learning pairs, merging neighbours, encoding a word. */
#include "grader.h"
#include "../src/tokenizer/bpe_train.h"
#include "../src/tokenizer/encoder.h"
#include "models.h"

DECLARE_SHIPPED(encode_bpe);

/* ------------------------------------------------------------------ learning pairs */

enum { WORDS = 24, ROOM = 64, LONGEST = 70, MOST_MERGES = 60, LETTERS = 4, PAIRS = 4096 };

/* The corpus under test, and the same words in a row. */
static WordCount table[ROOM];
static int32_t spelled[WORDS][LONGEST], copies[WORDS][LONGEST];
static size_t place[WORDS], lengths[WORDS];
static char letters[WORDS][LONGEST];

typedef enum Slip {
    NO_SLIP,
    WORDS_ONCE,
    NO_OVERLAP,
    HIGHER_OF_EQUALS,
    RIGHT_BEFORE_LEFT,
    RARE_PAIRS,
    FIRST_PLACE_ONLY,
    FROM_THE_RIGHT,
    NEVER_FORGETS,
    SLIPS
} Slip;

static const char *const slip_hints[SLIPS] = {
    [WORDS_ONCE] = "a pair counts as often as its word occurs in the corpus (count), not once "
                   "for each word",
    [NO_OVERLAP] = "every two neighbours count: in \"aaa\" the pair (a, a) occurs twice",
    [HIGHER_OF_EQUALS] =
        "of pairs that are equally common the one with the lower left symbol goes first",
    [RIGHT_BEFORE_LEFT] =
        "of equal pairs first the lower left symbol decides, then the lower right one",
    [RARE_PAIRS] = "the commonest pair is wanted, not the rarest",
    [FIRST_PLACE_ONLY] = "a word may hold the pair several times: each becomes the new symbol",
    [FROM_THE_RIGHT] = "pairs are replaced from left to right: \"aaa\" becomes (aa)a",
    [NEVER_FORGETS] =
        "the counts of the last round are still there: each round begins from an empty table",
};

/* Of rare words every one stands there once. */
/* Words of four letters, of which one is the byte 0; some stand in the corpus billions of
 * times. */
static void new_corpus(bool rare) {
    memset(table, 0, sizeof table);
    for (size_t i = 0; i < WORDS; i++) {
        do place[i] = fresh_below(ROOM);
        while (table[place[i]].n);
        lengths[i] = 1 + fresh_below(rare ? 5 : i ? 12 : LONGEST);
        for (size_t k = 0; k < lengths[i]; k++) {
            letters[i][k] =
                (char)('a' + (k && fresh_below(3) == 0 ? letters[i][k - 1] - 'a'
                                                       : (int)fresh_below(LETTERS)));
            spelled[i][k] = copies[i][k] = letters[i][k] == 'd' ? 0 : letters[i][k];
        }
        table[place[i]] = (WordCount){
            {letters[i], lengths[i]},
            rare ? 1
                 : 1 + fresh_below(5) + (fresh_below(4) ? 0 : (uint64_t)fresh_below(3) << 32),
            spelled[i],
            lengths[i]};
    }
}

/* Counts of all pairs of symbols, the slow way. */
static uint64_t counts[256 + MOST_MERGES][256 + MOST_MERGES];

static void count_all(Slip slip, int32_t word[WORDS][LONGEST], const size_t *n) {
    if (slip != NEVER_FORGETS) memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < WORDS; i++)
        for (size_t k = 0; k + 1 < n[i]; k++) {
            counts[word[i][k]][word[i][k + 1]] +=
                slip == WORDS_ONCE ? 1 : table[place[i]].count;
            if (slip == NO_OVERLAP && k + 2 < n[i] && word[i][k] == word[i][k + 1] &&
                word[i][k] == word[i][k + 2])
                k++;
        }
}

static bool choose(Slip slip, int32_t pair[2]) {
    uint64_t best = 0;
    for (int32_t a = 0; a < 256 + MOST_MERGES; a++)
        for (int32_t b = 0; b < 256 + MOST_MERGES; b++) {
            int32_t left = slip == RIGHT_BEFORE_LEFT ? b : a,
                    right = slip == RIGHT_BEFORE_LEFT ? a : b;
            uint64_t c = counts[left][right];
            if (c < 2) continue;
            bool better = slip == RARE_PAIRS         ? c < best
                          : slip == HIGHER_OF_EQUALS ? c >= best
                                                     : c > best;
            if (!best || better) best = c, pair[0] = left, pair[1] = right;
        }
    return best > 1;
}

static size_t replace_in(Slip slip, int32_t *word, size_t n, const int32_t pair[2],
                         int32_t merged) {
    size_t to = 0, done = 0;
    if (slip == FROM_THE_RIGHT) {
        for (size_t k = n; k-- > 1;)
            if (word[k - 1] == pair[0] && word[k] == pair[1]) {
                word[k - 1] = merged;
                memmove(word + k, word + k + 1, (--n - k) * sizeof *word);
                k = k > 1 ? k : 1;
            }
        return n;
    }
    for (size_t k = 0; k < n; k++, to++) {
        bool here = k + 1 < n && word[k] == pair[0] && word[k + 1] == pair[1] &&
                    !(done && slip == FIRST_PLACE_ONLY);
        word[to] = here ? merged : word[k];
        k += here, done += here;
    }
    return to;
}

/* How many merges there are, and which. */
static size_t learn_slowly(Slip slip, size_t most, int32_t merges[][2],
                           int32_t word[WORDS][LONGEST], size_t *n) {
    size_t count = 0;
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < WORDS; i++) {
        n[i] = lengths[i];
        memcpy(word[i], copies[i], sizeof *word);
    }
    for (; count < most; count++) {
        count_all(slip, word, n);
        if (!choose(slip, merges[count])) break;
        for (size_t i = 0; i < WORDS; i++)
            n[i] = replace_in(slip, word[i], n[i], merges[count], (int32_t)(256 + count));
    }
    return count;
}

static size_t same_merges(int32_t a[][2], int32_t b[][2], size_t n) {
    size_t same = 0;
    while (same < n && a[same][0] == b[same][0] && a[same][1] == b[same][1]) same++;
    return same;
}

/* Are the words spelled as they are in `word`? */
static bool same_words(int32_t word[WORDS][LONGEST], const size_t *n) {
    for (size_t i = 0; i < WORDS; i++)
        if (table[place[i]].n != n[i] ||
            memcmp(spelled[i], word[i], n[i] * sizeof *word[i]) != 0)
            return false;
    return true;
}

static void learn_and_compare(size_t most, bool rare) {
    static int32_t merges[MOST_MERGES][2], want[MOST_MERGES][2], other[MOST_MERGES][2],
        word[WORDS][LONGEST];
    static Text symbols[256 + MOST_MERGES];
    static PairCount pairs[PAIRS];
    static char single[256];
    size_t n[WORDS];
    Fault fault = {0};
    new_corpus(rare);
    BpeTrainer t = {
        table, ROOM, WORDS, symbols, merges, 256, 256 + most, pairs, rare ? 1024 : PAIRS, true};
    for (int i = 0; i < 256; i++) single[i] = (char)i, symbols[i] = (Text){single + i, 1};
    memset(pairs, 0, sizeof pairs);
    size_t count = learn_slowly(NO_SLIP, most, want, word, n);
    bool ok = bpe_learn(&t, &fault);
    NEED(freopen("/dev/null", "w", stderr)); /* how fast it went need not be said each time */
    size_t got = t.n_symbols - 256, fewer = got < count ? got : count,
           same = same_merges(merges, want, fewer);
    for (Slip slip = 1; slip < SLIPS && same < count; slip++) {
        size_t others = learn_slowly(slip, most, other, word, n);
        HINT(others < fewer || same_merges(merges, other, fewer) < fewer || got != others, "%s",
             slip_hints[slip]);
    }
    HINT(same == fewer,
         "merge %zu: expected (%d, %d), got (%d, %d): the pair that is commonest now (of equal "
         "ones that with the lower symbols), in words "
         "as they are spelled by then "
         "(numbers below 256 are bytes, 256 is the first merge)",
         same, want[same][0], want[same][1], merges[same][0], merges[same][1]);
    COUNT(got, count, "merges of the %zu wanted, until no pair occurs twice", most);
    COUNT(ok, count == most,
          "it fails when the words have no pair that occurs twice before all merges are found");
    learn_slowly(NO_SLIP, most, other, word, n);
    bool spelled_right = same_words(word, n);
    for (Slip slip = 1; slip < SLIPS && !spelled_right; slip++) {
        learn_slowly(slip, most, other, word, n);
        HINT(!same_words(word, n), "%s", slip_hints[slip]);
    }
    learn_slowly(NO_SLIP, most, other, word, n);
    for (size_t i = 0; i < WORDS; i++) {
        COUNT(table[place[i]].n, n[i], "the symbols that are left of the word \"%.*s\"",
              (int)lengths[i], letters[i]);
        for (size_t k = 0; k < n[i]; k++)
            COUNT(spelled[i][k], word[i][k], "symbol %zu of the word \"%.*s\"", k,
                  (int)lengths[i], letters[i]);
    }
    for (size_t i = 256; i < t.n_symbols; i++) free((char *)symbols[i].data);
}

GRADE(learning) {
    for (int round = 0; round < 6; round++) learn_and_compare(1 + fresh_below(20), false);
    learn_and_compare(MOST_MERGES, true); /* more than there are */
}

/* ------------------------------------------------------------------ merging neighbours */

enum { SYMBOLS = 10, PIECES = 90 };

static struct { int rank, merged; } rules[SYMBOLS][SYMBOLS]; /* rank 0: may not */

static bool table_says(const Tokenizer *t, const Piece *left, const Piece *right,
                       double *priority, int32_t *merged) {
    (void)t;
    if (left->symbol < 0 || right->symbol < 0 || !rules[left->symbol][right->symbol].rank)
        return false;
    *priority = rules[left->symbol][right->symbol].rank * 0.25 - 4;
    *merged = rules[left->symbol][right->symbol].merged;
    return true;
}

typedef enum Miss {
    NO_MISS,
    FIRST_FOUND,
    NO_NEW_LEFT,
    NO_NEW_RIGHT,
    FROM_RIGHT,
    NOT_AGAIN,
    MISSES
} Miss;

static const char *const miss_hints[MISSES] = {
    [FIRST_FOUND] =
        "the pair with the lowest priority of all goes first, wherever it is, not the leftmost",
    [NO_NEW_LEFT] = "the merged piece has a new neighbour on its left: consider that pair, too",
    [NO_NEW_RIGHT] =
        "the merged piece has a new neighbour on its right: consider that pair, too",
    [FROM_RIGHT] = "of pairs with equal priority the leftmost goes first",
    [NOT_AGAIN] = "what was merged may merge again, with its new neighbours on both sides",
};

/* One round after the other through all that is left, the best pair in each. */
static void merge_slowly(Piece *p, size_t n, Miss miss) {
    bool fresh_pair[PIECES];
    for (size_t i = 0; i < n; i++) fresh_pair[i] = true;
    for (;;) {
        double lowest = INFINITY, priority;
        int32_t best = -1, merged, becomes = 0;
        for (int32_t i = 0; i >= 0 && i < (int32_t)n; i = p[i].after)
            if (fresh_pair[i] && p[i].after >= 0 &&
                table_says(NULL, &p[i], &p[p[i].after], &priority, &merged) &&
                (miss == FIRST_FOUND  ? best < 0
                 : miss == FROM_RIGHT ? priority <= lowest
                                      : priority < lowest))
                lowest = priority, best = i, becomes = merged;
        if (best < 0) return;
        int32_t right = p[best].after;
        p[best].size += p[right].size, p[best].symbol = becomes, p[best].after = p[right].after,
                                       p[right].size = 0;
        if (p[best].after >= 0) p[p[best].after].before = best;
        fresh_pair[best] = miss != NO_NEW_RIGHT && miss != NOT_AGAIN;
        if (p[best].before >= 0)
            fresh_pair[p[best].before] = miss != NO_NEW_LEFT && miss != NOT_AGAIN;
    }
}

static bool same_pieces(const Piece *a, const Piece *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i].size != b[i].size || (a[i].size && a[i].symbol != b[i].symbol)) return false;
    return true;
}

static void merge_and_compare(size_t n) {
    static char bytes[40000 * PIECES];
    Piece start[PIECES], want[PIECES], other[PIECES];
    Scratch room = {0};
    Fault fault;
    size_t at = 0, total = 0;
    NEED(scratch_reserve(&room, n, &fault));
    for (size_t i = 0; i < n; i++) {
        uint32_t size = 1 + (uint32_t)fresh_below(n > 80 && i % 8 == 0 ? 39999 : 3);
        start[i] =
            (Piece){bytes + at, size, fresh_below(20) ? (int32_t)fresh_below(SYMBOLS) : -1,
                    (int32_t)i - 1, i + 1 < n ? (int32_t)i + 1 : -1};
        at += size;
    }
    memcpy(room.pieces, start, n * sizeof *start), memcpy(want, start, n * sizeof *start);
    merge_slowly(want, n, NO_MISS);
    merge_pieces(NULL, &room, n, table_says);
    bool right = same_pieces(room.pieces, want, n);
    for (size_t i = 0; i < n; i++) total += room.pieces[i].size;
    COUNT(total, at,
          "the bytes of all pieces together: a merged piece has the size of both, and the one "
          "merged away the size 0");
    for (Miss miss = 1; miss < MISSES && !right; miss++) {
        memcpy(other, start, n * sizeof *start);
        merge_slowly(other, n, miss);
        HINT(!same_pieces(room.pieces, other, n), "%s", miss_hints[miss]);
    }
    for (size_t i = 0; i < n; i++) {
        COUNT(room.pieces[i].size, want[i].size,
              "the bytes of piece %zu of %zu (0: merged into the one before it)", i, n);
        if (want[i].size)
            COUNT(room.pieces[i].symbol, want[i].symbol,
                  "the symbol of piece %zu of %zu: what the rule said it becomes", i, n);
    }
    scratch_free(&room);
}

GRADE(merging) {
    for (int round = 0; round < 60; round++) {
        for (size_t i = 0; i < SYMBOLS * SYMBOLS; i++) {
            rules[i / SYMBOLS][i % SYMBOLS].rank =
                fresh_below(3) ? 1 + (int)fresh_below(30) : 0;
            rules[i / SYMBOLS][i % SYMBOLS].merged = (int)fresh_below(SYMBOLS);
        }
        merge_and_compare(round < 4    ? (size_t)round
                          : round > 55 ? PIECES
                                       : 2 + fresh_below(PIECES - 2));
    }
}

/* ------------------------------------------------------------------ a word's tokens */

static unsigned char *vocab_bytes;
static Gguf vocab;

/* A vocabulary that was learned from words made up now. */
static Tokenizer *new_tokenizer(void) {
    static char text[6000];
    Fault fault;
    size_t size;
    static const char *const specials[] = {"<|end|>", "abc"};
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(fresh_below(4) ? 'a' + (int)fresh_below(5) : ' ');
    Text texts[1] = {{text, sizeof text}};
    GgufWriter *w = gguf_writer_open(&fault);
    int said = dup(STDERR_FILENO); /* do not print how long it took */
    NEED(freopen("/dev/null", "w", stderr));
    NEED(w && bpe_train(texts, 1, specials, 2, 330, w, &fault));
    fflush(stderr), dup2(said, STDERR_FILENO), close(said);
    NEED(gguf_write_memory(w, &vocab_bytes, &size, &fault) &&
         gguf_parse(&vocab, vocab_bytes, size, &fault));
    gguf_writer_close(w);
    Tokenizer *t = tokenizer_open(&vocab, &fault);
    NEED(t);
    return t;
}

static void encode_and_compare(const Tokenizer *t, Text word, const char *kind) {
    Scratch room = {0}, room2 = {0};
    TokenList got = {0}, want = {0};
    Fault fault = {0}, fault2 = {0};
    token_list_add(&got, 7), token_list_add(&want, 7);
    bool ok = SHIPPED(encode_bpe)(t, word, &room2, &want, &fault2),
         mine = encode_bpe(t, word, &room, &got, &fault);
    HINT(mine == ok, "%s, the word \"%.*s\": expected %s, got %s%s%s", kind, (int)word.size,
         word.data, ok ? "true" : "false: ", fault2.text,
         mine ? "true" : "false: ", fault.text);
    if (!ok) {
        char byte[8];
        const char *named = strstr(fault2.text, "0x");
        NEED(named);
        snprintf(byte, sizeof byte, "%.4s", named);
        HINT(strstr(fault.text, byte),
             "%s: the fault names the byte for which there is no token, %s; it says \"%s\"",
             kind, byte, fault.text);
    } else {
        HINT(got.count >= 1 && got.ids[0] == 7,
             "tokens are appended: those that are there already stay");
        HINT(want.count == 1 + word.size || got.count != 1 + word.size,
             "%s, the word \"%.*s\": every byte is a token of its own: the symbol of a byte is "
             "in byte_token, and the pieces are to be merged",
             kind, (int)word.size, word.data);
        COUNT(got.count, want.count, "%s, the word \"%.*s\": tokens, after one that was there",
              kind, (int)word.size, word.data);
        for (size_t i = 0; i < want.count; i++)
            COUNT(got.ids[i], want.ids[i], "%s, token %zu of the word \"%.*s\"", kind, i,
                  (int)word.size, word.data);
    }
    scratch_free(&room), scratch_free(&room2), token_list_free(&got), token_list_free(&want);
}

static void some_words(const Tokenizer *t, const char *kind) {
    for (int round = 0; round < 40; round++) {
        char word[300];
        size_t size = round == 39 ? sizeof word : 1 + fresh_below(30);
        for (size_t i = 0; i < size; i++) word[i] = (char)('a' + (int)fresh_below(5));
        encode_and_compare(t, (Text){word, size}, kind);
    }
    for (int round = 0; round < 20; round++) { /* any bytes */
        char word[20];
        for (size_t i = 0; i < sizeof word; i++) word[i] = (char)fresh_bits();
        encode_and_compare(t, (Text){word, sizeof word}, kind);
    }
    for (size_t id = 0; id < t->count; id += 7)
        if (t->types[id] != TOKEN_CONTROL) encode_and_compare(t, t->pieces[id], kind);
    encode_and_compare(t, (Text){"abc", 3}, kind); /* the name of a control token */
}

GRADE(encoding) {
    Tokenizer *t = new_tokenizer();
    size_t count = t->count;
    some_words(t, "a vocabulary as it was learned");
    const int32_t of_a = t->byte_token['a'];
    t->count = 300;
    some_words(t, "symbols beyond the vocabulary's count, which are spelled in bytes");
    t->byte_token['a'] = 0;
    some_words(t, "a byte whose token is number 0, and symbols that are spelled in bytes");
    t->count = 100;
    some_words(t, "bytes whose symbols are beyond the vocabulary's count");
    t->byte_token['a'] = of_a;
    t->count = count, t->ignore_merges = true;
    some_words(t, "a vocabulary that ignores merges where a whole word is a token");
    t->types[1] = TOKEN_NORMAL;
    some_words(t, "a vocabulary that ignores merges, and a token that no merge makes");
    t->ignore_merges = false, t->byte_token['c'] = -1, t->unknown = 5;
    some_words(t, "a byte without a token, where there is a token for what is unknown");
    t->unknown = -1;
    some_words(t, "a byte without a token, and no unknown token");
    t->drops_bytes = true;
    some_words(t,
               "a byte without a token, in a vocabulary that drops such bytes (drops_bytes)");
    t->drops_bytes = false, t->byte_token['c'] = of_a;
    for (int byte = 1; byte < 256; byte += 5) {
        int32_t of_byte = t->byte_token[byte];
        char word[3] = {'a', (char)byte, 'b'};
        t->byte_token[byte] = -1;
        encode_and_compare(t, (Text){word, 3}, "a byte without a token");
        t->byte_token[byte] = of_byte;
    }
    tokenizer_close(t), gguf_free(&vocab), free(vocab_bytes);
}

GRADES({"5.1", learning}, {"5.2", merging}, {"5.3", encoding})
