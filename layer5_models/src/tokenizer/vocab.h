/* vocab.h - a tokenizer's tables; private to src/tokenizer.
 *
 * Invariant: after tokenizer_open the tables only change when the tokenizer is closed, so that
 * any number of threads may encode with one. */
#ifndef STRATA_VOCAB_H
#define STRATA_VOCAB_H

#include <pthread.h>
#include "tokenizer.h"

/* token types of the file format */
enum {
    TOKEN_UNDEFINED = 0,
    TOKEN_NORMAL = 1,
    TOKEN_UNKNOWN = 2,
    TOKEN_CONTROL = 3,
    TOKEN_USER = 4,
    TOKEN_UNUSED = 5,
    TOKEN_BYTE = 6
};

/* What is cut out of the text before GPT-2's rule sees the rest. */
typedef enum SplitFirst {
    FIRST_NOTHING,
    FIRST_DIGITS,      /* each number character by itself */
    FIRST_PUNCTUATION, /* runs of punctuation and of $ + < = > ^ ~ | */
    FIRST_TICKS        /* the same and ` */
} SplitFirst;

typedef struct SplitRule {
    bool gpt2; /* GPT-2's own rule; else the Llama 3 / Qwen 2 one */
    SplitFirst first;
    /* a word changes at an upper-case letter after a lower-case one; no contractions */
    bool cased;
    int digits;       /* longest run of digits in a word; 0: no limit */
    bool threes;      /* three ASCII digits are a word, counted from the left */
    bool bare_digits; /* no space in front of digits */
} SplitRule;

typedef struct PairEntry {
    int32_t left, right; /* symbols; left = -1: empty */
    int32_t rank, merged;
} PairEntry;

/* A token that is matched in text before all else. */
typedef struct Special {
    Text name;
    int32_t id;
} Special;

struct Tokenizer {
    bool sentencepiece;
    size_t count;     /* tokens */
    size_t n_symbols; /* tokens, and strings that only occur in merges */
    Text *symbols;    /* the name of each, BPE's as bytes; into `bytes` */
    Text *pieces;     /* what each token stands for; BPE: the symbols */
    unsigned char *types;
    float *scores;  /* sentencepiece */
    char *bytes;    /* owns all symbols' and pieces' bytes */
    int32_t *table; /* open addressing: symbol id or -1, by bytes */
    size_t table_size;
    PairEntry *pairs;
    size_t pairs_size;
    int32_t byte_token[256];
    Special *specials; /* sorted by name */
    size_t n_specials;
    uint32_t special_from
        [257]; /* the first special token that begins with this byte or a later one */
    /* sentencepiece: [a][b] when the bytes a, b stand side by side in a token */
    bool (*joins)[256];
    int32_t bos, eos, unknown; /* -1: none */
    unsigned char *is_end;
    bool add_bos, add_space_prefix, ignore_merges;
    SplitRule split;
    struct Companion *companion; /* owns; see tokenizer_companion */
};

typedef struct Companion {
    pthread_mutex_t lock;
    void *object; /* NULL: not made yet */
    void (*close)(void *object);
} Companion;

/* symbols.c: strings and pairs by hash */
bool symbols_allocate(Tokenizer *tokenizer, size_t max_symbols, size_t merges);
uint64_t vocab_hash(Text bytes);
int32_t vocab_find(const Tokenizer *tokenizer, Text bytes); /* symbol id or -1 */
/* A new symbol; of equal ones the first is the one found. */
void vocab_add(Tokenizer *tokenizer, Text bytes);
const PairEntry *vocab_pair(const Tokenizer *tokenizer, int32_t left, int32_t right);
void vocab_add_pair(Tokenizer *tokenizer, PairEntry pair); /* of equal ones the first stays */

/* escape.c: how files write bytes and spaces.  GPT-2 writes any byte as a visible character:
 * 33..126, 161..172 and 174..255 stand for themselves, the other 68 for U+0100 and on. */
uint32_t byte_to_visible(unsigned char byte);
int visible_to_byte(uint32_t code_point); /* -1: none */
/* Visible characters back to bytes; others (in special tokens) stay.  Returns the size, at most
 * the text's. */
size_t unescape_visible(Text text, char *out);
size_t unescape_spaces(Text text, char *out); /* U+2581 back to spaces, likewise */
size_t escape_spaces(Text text, char *out);   /* and forth: up to three times the text */
int hex_byte(Text text);                      /* the byte of "<0x0A>"; -1: none */

/* keys.c: every key of the file that begins with "tokenizer." is known, of its type, and asks
 * for nothing that is not built in; else the fault names it. */
bool keys_check(const Gguf *gguf, size_t tokens, Fault *fault);
/* A token's id; default_value when the key is missing (-1 where that is no token). */
int32_t key_token(const Gguf *gguf, const char *key, size_t tokens, int32_t default_value);
bool key_flag(const Gguf *gguf, const char *key, bool default_value);

/* specials.c */
/* Types and ends of generation by name, whatever the file says, as llama.cpp has them. */
void specials_by_name(Tokenizer *tokenizer, const Gguf *gguf);
bool specials_collect(Tokenizer *tokenizer, Fault *fault);
/* The longest special token at the start of a text (size > 0), or -1.  Control tokens only when
 * `control`. */
int32_t special_at(const Tokenizer *tokenizer, Text text, bool control);

/* split.c: the bytes of the next word of a text (at least one; needs size > 0) */
size_t split_word(SplitRule rule, const char *text, size_t size);

/* pre.c: what tokenizer.ggml.pre names */
typedef struct PreRule {
    SplitRule split;
    bool ignore_merges; /* a word that is a token is that token, whatever the merges make */
    bool add_bos;       /* unless the file says otherwise */
} PreRule;

const PreRule *pre_rule_by_name(Text name); /* NULL: not built in */

/* A piece of text on its way to becoming a token. */
typedef struct Piece {
    const char *data;
    uint32_t size;
    int32_t symbol;        /* -1: no token yet */
    int32_t before, after; /* neighbours; -1: none */
} Piece;

/* Memory for merging, reused from word to word. */
typedef struct MergeRoom {
    Piece *pieces;                /* (most) */
    struct Candidate *candidates; /* (3 * most) */
    size_t max_pieces;
} MergeRoom;

bool merge_room(MergeRoom *room, size_t max_pieces, Fault *fault);
void merge_room_free(MergeRoom *room);

/* May two neighbours merge?  Lower priority goes first; equal ones from the left. */
typedef bool MergeRule(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                       double *priority, int32_t *merged);

/* Merge neighbours of the first n pieces while any may; what was merged away has size 0.
 * O(n log n). */
void merge_pieces(const Tokenizer *tokenizer, MergeRoom *room, size_t n, MergeRule *rule);

/* The tokens of one word, appended.  False when memory is short or a byte has no token. */
typedef bool EncodeWord(const Tokenizer *tokenizer, Text word, MergeRoom *room,
                        TokenList *tokens, Fault *fault);

EncodeWord encode_bpe;           /* bpe.c */
EncodeWord encode_sentencepiece; /* sentencepiece.c; spaces are written as U+2581 */

/* The bytes up to the next place that no token crosses (at least one; needs size > 0). */
size_t sentencepiece_word(const Tokenizer *tokenizer, Text text);

/* words.c: one call of tokenizer_encode, text after text, word by word. */
typedef struct Words Words;

Words *words_open(const Tokenizer *tokenizer, size_t size, Fault *fault);
void words_close(Words *words);
/* All texts of one call together have at most `size` bytes. */
bool words_encode(Words *words, Text text, TokenList *tokens, Fault *fault);

#endif
