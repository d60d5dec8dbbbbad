/* vocab.h - a tokenizer's tables; private to src/tokenizer.
 *
 * Invariant: after tokenizer_open the tables only change when the tokenizer is closed, so that
 * any number of threads may encode with one. */
#ifndef STRATA_VOCAB_H
#define STRATA_VOCAB_H

#include <pthread.h>
#include "charsmap.h"
#include "pre.h"
#include "tokenizer.h"
#include "prefix_tree.h"

typedef struct PairEntry {
    int32_t left, right; /* symbols; left = -1: empty */
    int32_t rank, merged;
} PairEntry;

/* One call of tokenizer_encode; see words.c. */
typedef struct Words Words;

/* The tokens of a text without special tokens, appended.  Fails when memory is short or a byte has no
 * token. */
typedef bool EncodeText(Words *words, Text text, TokenList *tokens, Fault *fault);

/* How a file writes its tokens. */
typedef enum Spelling {
    SPELLED_PLAIN,
    SPELLED_VISIBLE,  /* each byte as a visible character (GPT-2) */
    SPELLED_SPACES,   /* spaces as U+2581, bytes as <0x0A> */
    SPELLED_BACKSLASH /* \n \t \r \x0A */
} Spelling;

/* What tokenizer.ggml.model names; see kinds.c. */
typedef struct Kind {
    const char *name;
    Spelling spelling;
    const char *needs; /* a key that must be there; NULL: none */
    EncodeText *encode;
    int32_t bos, eos, unknown, separator; /* where the file names none; -1: none */
    bool add_bos, add_eos;                /* unless the file says otherwise */
    bool add_separator;                   /* behind every text */
    bool lowercase;                       /* unless the file says otherwise */
    bool space_prefix;                    /* likewise */
    bool merges;                          /* pairs of tokens are merged */
    const char *pre;                      /* the rule to split by; NULL: the file's */
} Kind;

const Kind *kind_by_name(Text name); /* NULL: not built in */

/* How the middle between two texts is asked for; see fill.c. */
enum { FILL_PREFIX, FILL_SUFFIX, FILL_MIDDLE, FILL_MARKS };
typedef struct Fill {
    int32_t marks[FILL_MARKS]; /* -1: none */
    bool suffix_first;
    bool ends_in_mark; /* the middle's; else the prefix ends what is asked */
} Fill;

struct Tokenizer {
    const Kind *kind;
    const PreRule *rule; /* NULL: text is not split by patterns */
    Spelling spelling;
    bool as_llama;
    size_t count;     /* tokens */
    size_t n_symbols; /* tokens, and strings that only occur in merges */
    Text *symbols;    /* the name of each, as text is looked up; into `bytes` */
    Text *pieces;     /* what each token stands for; may be the symbols */
    unsigned char *types;
    float *scores;  /* by token; NULL: none */
    char *bytes;    /* owns all symbols' and pieces' bytes */
    int32_t *table; /* (table_size) open addressing: symbol id or -1, by bytes */
    size_t table_size;
    bool repeats; /* two symbols have the same bytes */
    PairEntry *pairs;
    size_t pairs_size;
    int32_t byte_token[256];
    PrefixTree specials;      /* tokens that are matched in text before all else */
    bool special_begins[256]; /* one of them begins with this byte */
    bool *
        eats_space; /* (count) white space behind this special token is dropped; NULL: no token does */
    /* where spaces are spelled: [a][b] when the bytes a, b stand side by side in a token */
    bool (*joins)[256];
    bool space_begins; /* a space only stands at the beginning of a token */
    PrefixTree words;  /* t5, bert, rwkv: what a text is made of */
    double unknown_score;
    Charsmap charsmap;
    bool lowercase, strip_accents, merge_spaces;
    int32_t bos, eos, unknown, separator, mask; /* -1: none */
    unsigned char *is_end;
    Fill fill;
    bool add_bos, add_eos, add_separator, add_space_prefix, ignore_merges;
    Splitter splitter;
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
/* A new symbol; of equal ones the first is the one found.  False when memory is short. */
bool vocab_add(Tokenizer *tokenizer, Text bytes);
const PairEntry *vocab_pair(const Tokenizer *tokenizer, int32_t left, int32_t right);
void vocab_add_pair(Tokenizer *tokenizer, PairEntry pair); /* of equal ones the first stays */
/* These will be looked up or added soon: the memory to look at is fetched meanwhile. */
void vocab_expect(const Tokenizer *tokenizer, Text bytes);
void vocab_expect_pair(const Tokenizer *tokenizer, int32_t left, int32_t right);

/* tables.c: types, scores, symbols, pieces and merges of a file whose keys were checked. */
bool tables_read(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);

/* escape.c: how files write bytes and spaces.  GPT-2 writes any byte as a visible character:
 * 33..126, 161..172 and 174..255 stand for themselves, the other 68 for U+0100 and on. */
uint32_t byte_to_visible(unsigned char byte);
int visible_to_byte(uint32_t code_point); /* -1: none */
/* Visible characters back to bytes; others (in special tokens) stay.  Returns the size, at most
 * the text's. */
size_t unescape_visible(Text text, char *out);
size_t unescape_spaces(Text text, char *out);      /* U+2581 back to spaces, likewise */
size_t escape_spaces(Text text, char *out);        /* and forth: up to three times the text */
size_t unescape_backslashes(Text text, char *out); /* \n, \t, \r and \x0A to bytes, likewise */
int hex_byte(Text text);                           /* the byte of "<0x0A>"; -1: none */

/* keys.c: every key of the file that begins with "tokenizer." is known, of its type, and asks
 * for nothing that is not built in; else the fault names it. */
bool keys_check(const Gguf *gguf, const Kind *kind, size_t tokens, Fault *fault);
/* A token's id; default_value when the key is missing (-1 where that is no token). */
int32_t key_token(const Gguf *gguf, const char *key, size_t tokens, int32_t default_value);
bool key_flag(const Gguf *gguf, const char *key, bool default_value);

/* specials.c */
/* Types and ends of generation by name, whatever the file says, as llama.cpp has them. */
void specials_by_name(Tokenizer *tokenizer, const Gguf *gguf);
bool specials_collect(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);
/* The longest special token at the start of a text (size > 0), or -1.  Control tokens only when
 * `control`. */
int32_t special_at(const Tokenizer *tokenizer, Text text, bool control);

/* fill.c: the order that goes with the marks, once these are known. */
void fill_order(Tokenizer *tokenizer, const Gguf *gguf);

/* clean.c: text of which every byte is part of a character.
 *
 *   clean_prefix   the bytes at the start that are so already
 *   clean_text     written to out (three times the text at most); returns the size */
size_t clean_prefix(Text text);
size_t clean_text(Text text, char *out);

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
    struct Path *paths; /* (max_paths) unigram's best ways */
    size_t max_paths;
} MergeRoom;

bool merge_room(MergeRoom *room, size_t max_pieces, Fault *fault);
void merge_room_free(MergeRoom *room);

/* May two neighbours merge?  Lower priority goes first; equal ones from the left. */
typedef bool MergeRule(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                       double *priority, int32_t *merged);

/* Merge neighbours of the first n pieces while any may; what was merged away has size 0.
 * O(n log n). */
void merge_pieces(const Tokenizer *tokenizer, MergeRoom *room, size_t n, MergeRule *rule);

extern MergeRule *const bpe_merge_rule, *const sentencepiece_merge_rule;

/* The tokens of one word, appended.  False when memory is short or a byte has no token. */
typedef bool EncodeWord(const Tokenizer *tokenizer, Text word, MergeRoom *room,
                        TokenList *tokens, Fault *fault);

EncodeWord encode_bpe;           /* bpe.c */
EncodeWord encode_characters;    /* bpe.c: merges of characters, not of bytes */
EncodeWord encode_sentencepiece; /* sentencepiece.c; spaces are written as U+2581 */
EncodeWord encode_best_path;     /* unigram.c; likewise */
EncodeWord encode_pieces;        /* wordpiece.c; U+2581 in front */

/* The bytes up to the next place that no token crosses (at least one; needs size > 0). */
size_t sentencepiece_word(const Tokenizer *tokenizer, Text text);

/* One kind each: text that is split by patterns, SentencePiece's two, WordPiece, RWKV, words between
 * white space. */
EncodeText encode_split_text;    /* words.c */
EncodeText encode_merged_text;   /* words.c */
EncodeText encode_unigram;       /* unigram.c */
EncodeText encode_wordpiece;     /* wordpiece.c */
EncodeText encode_longest;       /* longest.c */
EncodeText encode_between_space; /* words.c */

/* words.c: one call of tokenizer_encode, text after text, word by word. */
struct Words {
    const Tokenizer *tokenizer;
    MergeRoom room;
    struct KnownWord *known; /* (n_known), by hash; a later word takes an earlier one's place */
    size_t n_known;
    Cutter cutter;
    struct TextBlock *blocks; /* texts in other spellings; words are borrowed from them */
    char *scratch;            /* unigram: a text that is being written plainer */
    size_t scratch_size;
    const Cut *cut;  /* the word at hand, where patterns cut it */
    TokenTold *told; /* NULL: nobody asks why */
    void *told_to;
};

Words *words_open(const Tokenizer *tokenizer, size_t size, Fault *fault);
void words_close(Words *words);

/* Room for a text that stays until words_close; NULL, with a fault, when memory is short.  What of it is
 * not used goes back with words_trim. */
char *words_room(Words *words, size_t size, Fault *fault);
void words_trim(Words *words, size_t unused);

/* As llama.cpp reads text, in its style: what is no character becomes one first. */
bool words_clean(Words *words, Text *text, Fault *fault);
/* explain.c: tell of a word and of its tokens, those from `first` on. */
void words_tell(const Words *words, Text word, const TokenList *tokens, size_t first);

/* The tokens of one word: those it had before, or those that `encode` gives it.  The bytes stay where they
 * are. */
bool words_encode(Words *words, Text word, EncodeWord *encode, TokenList *tokens, Fault *fault);

#endif
