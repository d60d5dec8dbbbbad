/* vocab.h - a tokenizer's tables; private to src/tokenizer. */
#ifndef STRATA_VOCAB_H
#define STRATA_VOCAB_H

#include "tokenizer.h"

/* token types of the file format */
enum {
    TOKEN_NORMAL = 1,
    TOKEN_UNKNOWN = 2,
    TOKEN_CONTROL = 3,
    TOKEN_USER = 4,
    TOKEN_UNUSED = 5,
    TOKEN_BYTE = 6
};

typedef struct SplitRule {
    bool gpt2; /* GPT-2's own rule; else the Llama 3 / Qwen 2 one */
    bool
        cased; /* a word changes at an upper-case letter after a lower-case one; no contractions */
    int digits; /* longest run of digits in a word; 0: no limit */
} SplitRule;

typedef struct PairEntry {
    int32_t left, right; /* symbols; left = -1: empty */
    int32_t rank, merged;
} PairEntry;

struct Tokenizer {
    bool sentencepiece;
    size_t count;     /* tokens */
    size_t n_symbols; /* tokens, and strings that only occur in merges */
    Text *symbols;    /* the bytes of each; into `bytes` */
    unsigned char *types;
    float *scores;  /* sentencepiece */
    char *bytes;    /* owns all symbols' bytes */
    int32_t *table; /* open addressing: symbol id or -1, by bytes */
    size_t table_size;
    PairEntry *pairs;
    size_t pairs_size;
    int32_t byte_token[256];
    int32_t *specials; /* tokens matched in text before all else, longest first */
    size_t n_specials;
    int32_t bos, eos, unknown;
    unsigned char *is_end;
    bool add_bos, add_space_prefix;
    SplitRule split;
};

uint64_t vocab_hash(Text bytes);
int32_t vocab_find(const Tokenizer *tokenizer, Text bytes); /* symbol id or -1 */
const PairEntry *vocab_pair(const Tokenizer *tokenizer, int32_t left, int32_t right);

/* The bytes of the next word of a text (at least one; needs size > 0). */
size_t split_word(SplitRule rule, const char *text, size_t size);
bool split_rule_by_name(const char *name, size_t size, SplitRule *rule);

/* A piece of text on its way to becoming a token. */
typedef struct Piece {
    const char *data;
    uint32_t size;
    int32_t symbol;        /* -1: no token yet */
    int32_t before, after; /* neighbours; -1: none */
} Piece;

/* May two neighbours merge?  Lower priority goes first; equal ones from the left. */
typedef bool MergeRule(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                       double *priority, int32_t *merged);

/* Merge neighbours while any may; what was merged away has size 0.  O(n log n). */
void merge_pieces(const Tokenizer *tokenizer, Piece *pieces, size_t n, MergeRule *rule);

void encode_bpe(const Tokenizer *tokenizer, Text text, TokenList *tokens);
void encode_sentencepiece(const Tokenizer *tokenizer, Text text, bool at_start,
                          TokenList *tokens);

/* GPT-2's way of writing any byte as a visible character: 33..126, 161..172 and 174..255 stand
 * for themselves, the other 68 for U+0100 and on. */
uint32_t byte_to_visible(unsigned char byte);
int visible_to_byte(uint32_t code_point); /* -1: none */

#endif
