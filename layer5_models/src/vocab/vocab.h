/* vocab.h - a tokenizer's tables; private to layer 5.
 *
 * Invariant: after tokenizer_open the tables only change when the tokenizer is closed, so that
 * any number of threads may encode with one. */
#ifndef STRATA_VOCAB_H
#define STRATA_VOCAB_H

#include "../pretokenize/pre.h"
#include "escape.h"
#include "prefix_tree.h"
#include "tokenizer.h"

/* Two symbols that merge, and the result. */
typedef struct PairEntry {
    int32_t left, right; /* symbols; left = -1: empty */
    int32_t rank, merged;
} PairEntry;

/* Fill-in-the-middle tokens (FIM): the model generates the text between two others. */
enum { FIM_PREFIX, FIM_SUFFIX, FIM_MIDDLE, FIM_MARKS };

struct Tokenizer {
    const struct TokenizerKind *kind;
    void *data;          /* of the kind, freed by its `close` */
    const PreRule *rule; /* how text is split; not NULL, but perhaps without patterns */
    const char *pre;     /* the rule's name in the file; NULL: none */
    Splitter splitter;   /* the rule's patterns */
    /* llama.cpp's handling of text; NULL: as the model was trained */
    const struct LlamaStyle *as_llama;
    const struct NormalForm *form; /* of texts; NULL: as they are */
    size_t count;                  /* tokens */
    size_t n_symbols;              /* tokens, and strings that only occur in merges */
    Text *symbols;                 /* each one's name, as text is looked up; into `bytes` */
    Text *pieces;                  /* what each token decodes to; may be the symbols */
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
    /* (count) white space after this special token is dropped; NULL: for none */
    bool *eats_space;
    Unescape *unescape; /* how the file writes bytes; NULL: as they are */
    bool spaces;        /* it writes spaces as U+2581 */
    /* with `spaces`: [a][b]: a token contains the bytes a, b as neighbours */
    bool (*joins)[256];
    bool space_begins;                             /* U+2581 only at the start of tokens */
    int32_t bos, eos, unknown, separator, mask;    /* -1: none */
    int32_t ending;                                /* appended to whole texts; -1: nothing */
    int32_t fim[FIM_MARKS];                        /* -1: none */
    unsigned char *is_end;                         /* (count) end-of-generation tokens */
    bool add_bos, add_separator, add_space_prefix; /* as the file says */
    bool ignore_merges;                            /* a word that is a token is not merged */
    bool drops_bytes;                              /* a byte without a token is dropped */
    void *companion; /* owns; a higher layer's, freed by close_companion; NULL: none */
    void (*close_companion)(void *companion);
};

/* ------------------------------------------------------------------ symbols.c: strings and
 * pairs by hash */

bool symbols_allocate(Tokenizer *tokenizer, size_t max_symbols, size_t merges);
uint64_t vocab_hash(Text bytes);
int32_t vocab_find(const Tokenizer *tokenizer, Text bytes); /* symbol id or -1 */
/* Add a symbol; of equal ones the first is found.  False: memory is short. */
bool vocab_add(Tokenizer *tokenizer, Text bytes);
const PairEntry *vocab_pair(const Tokenizer *tokenizer, int32_t left, int32_t right);
void vocab_add_pair(Tokenizer *tokenizer, PairEntry pair); /* of equal ones the first stays */
/* Prefetch the hash slots. */
void vocab_expect(const Tokenizer *tokenizer, Text bytes);
void vocab_expect_pair(const Tokenizer *tokenizer, int32_t left, int32_t right);

/* ------------------------------------------------------------------ reading a file */

/* tokenizer_open in another program's style (NULL: as trained). */
Tokenizer *tokenizer_read(const Gguf *gguf, const struct LlamaStyle *as_llama, Fault *fault);

/* check_keys.c: fails, naming the key, when a key "tokenizer.*" is unknown, of the wrong type
 * or not supported. */
bool keys_check(const Gguf *gguf, const struct TokenizerKind *kind, size_t tokens,
                Fault *fault);
/* The id in tokenizer.ggml.WHICH_token_id; the default if the key is missing (-1: not a
 * token). */
int32_t key_token(const Gguf *gguf, const char *which, size_t tokens, int32_t default_value);
bool key_flag(const Gguf *gguf, const char *key, bool default_value);

/* tables.c: types, scores, symbols, pieces and merges of a file whose keys were checked. */
bool tables_read(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);

/* specials.c: types and ends of generation by name, as in llama.cpp, overriding the file; then
 * the tree of tokens that are matched in text. */
void specials_by_name(Tokenizer *tokenizer, const Gguf *gguf);
bool specials_collect(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);

/* specials.c: the longest special token at the start of a text (size > 0), or -1; control
 * tokens only with `control`. */
int32_t special_at(const Tokenizer *tokenizer, Text text, bool control);

#endif
