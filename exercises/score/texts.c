/* texts.c - timed: merging the pieces of a word, the walk of a grammar's mask. */
#include "../../layer5_models/src/tokenizer/encoder.h"
#include "../../layer6_inference/exercise/rows.h"
#include "../../layer6_inference/extras/grammar/token_mask.h"
#include "score.h"

/* ------------------------------------------------------------------ 5.2 */

enum { LETTERS = 4096, SYMBOLS = 4096 };
static char word[LETTERS];
static int32_t symbol_of[LETTERS];
static Scratch scratch;

/* Made up: three pairs of four merge, each pair with a rank of its own. */
static bool rule(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                 double *priority, int32_t *merged) {
    uint32_t pair = ((uint32_t)left->symbol * 2654435761u + (uint32_t)right->symbol) * 40503u;
    (void)tokenizer;
    *priority = pair >> 2;
    *merged = (int32_t)(pair >> 8) % SYMBOLS;
    return pair & 3;
}

static void merge_make(void) {
    Fault fault;
    for (int i = 0; i < LETTERS; i++) symbol_of[i] = (int32_t)fresh_below(26);
    NEED(scratch_reserve(&scratch, LETTERS, &fault));
}
static double merge_run(bool library) {
    (void)library;
    for (int32_t i = 0; i < LETTERS; i++)
        scratch.pieces[i] =
            (Piece){word + i, 1, symbol_of[i], i - 1, i + 1 < LETTERS ? i + 1 : -1};
    merge_pieces(NULL, &scratch, LETTERS, rule);
    return 1e-6 * LETTERS;
}

/* ------------------------------------------------------------------ 6.29 */

enum { WORDS = 60000, LONGEST = 9, BITS = (WORDS + 63) / 64 };
static Trie trie;
static uint32_t row_stack[LONGEST + 2];
static uint64_t mask[BITS];

static void walk_make(void) {
    TrieEntry *entries = score_memory(WORDS, sizeof *entries);
    char *text = score_memory(WORDS, LONGEST);
    Fault fault;
    for (int i = 0; i < WORDS; i++) {
        char *at = text + (size_t)i * LONGEST;
        size_t size = 1 + fresh_below(LONGEST - 1);
        for (size_t k = 0; k < size; k++) at[k] = (char)('a' + fresh_below(15));
        entries[i] = (TrieEntry){{at, size}, i, 0};
    }
    NEED(trie_make(&trie, entries, WORDS, &fault));
    row_stack[0] = begin("root ::= ([a-h]+ [i-m]? | \"n\" [a-o]*)+");
}
static double walk_run(bool library) {
    MaskTable table = {.rows = &rows, .stack = row_stack};
    (void)library;
    mask_walk(&table, &trie, 0, trie.count, (Rounds){0, UINT32_MAX}, mask);
    return 1e-6 * WORDS;
}

const Timed timed_texts[] = {{"5.2", merge_make, merge_run, NULL},
                             {"6.29", walk_make, walk_run, NULL},
                             {NULL, NULL, NULL, NULL}};
