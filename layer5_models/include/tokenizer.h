/* tokenizer.h - text to token ids and back.
 *
 * Kinds, as GGUF files name them (extras/include/tokenizers.h has more):
 *
 *   gpt2    byte-level BPE: text is split into words by patterns, each word's bytes are merged
 *           pair by pair in the order in which the merges were learned
 *           Sennrich et al. 2015, arXiv:1508.07909
 *   llama   SentencePiece BPE: the whole text, spaces written as U+2581, is merged pair by pair,
 *           best score first; what is no token falls back to bytes
 *           Kudo & Richardson 2018, arXiv:1808.06226
 *
 * Invariant: decoding the tokens of a text gives the text back, byte for byte (up to the space
 * that may be put in front, and the white space that Phi 3 drops behind special tokens), unless
 * the vocabulary lacks a byte and has an unknown token in its place. */
#ifndef STRATA_TOKENIZER_H
#define STRATA_TOKENIZER_H

#include "transformer.h"

typedef struct Tokenizer Tokenizer;

/* What a token is, as GGUF files number it (tokenizer.ggml.token_type). */
enum {
    TOKEN_UNDEFINED = 0,
    TOKEN_NORMAL = 1,
    TOKEN_UNKNOWN = 2, /* stands for what has no token */
    TOKEN_CONTROL = 3, /* a text's words never become it */
    TOKEN_USER = 4,    /* found in a text before all else */
    TOKEN_UNUSED = 5,
    TOKEN_BYTE = 6
};

typedef struct TokenList {
    int32_t *ids; /* owns; free with token_list_free */
    size_t count, capacity;
} TokenList;

/* Room for `more` tokens after those that are there; fails when memory is short. */
bool token_list_reserve(TokenList *list, size_t more, Fault *fault);
void token_list_add(TokenList *list, int32_t id);
void token_list_free(TokenList *list);

/* Read the tokenizer of a model file.
 *
 *   gguf   borrowed only during the call
 *
 * Fails when a key that begins with "tokenizer." is missing, unknown or of the wrong type, and
 * when it asks for what is not built in: another kind, another rule to split words by (without
 * tokenizer.ggml.pre it is "default").  The fault names it.
 *
 * Tokens that are known to end a text or to fill in its middle are control tokens by name,
 * whatever type the file gives them. */
Tokenizer *tokenizer_open(const Gguf *gguf, Fault *fault);

void tokenizer_close(Tokenizer *tokenizer);

/* Append the tokens of a text.
 *
 *   special   read the names of control tokens (<|im_start|>) as those tokens; else as plain
 *             text (those of user-defined ones are always read)
 *
 * Fails, and appends nothing, when memory is short or the vocabulary has no token for a byte.
 * Time and memory grow with the text, n log n at worst. */
bool tokenizer_encode(const Tokenizer *tokenizer, Text text, bool special, TokenList *tokens,
                      Fault *fault);

/* The same of a text that a template wrote around a user's words: names of control tokens are
 * read as those tokens, but not where a byte of theirs is a user's.
 *
 *   user   (text.size) 1: a user wrote this byte */
bool tokenizer_encode_marked(const Tokenizer *tokenizer, Text text, const unsigned char *user,
                             TokenList *tokens, Fault *fault);

/* Append the token that begins a sequence, when the file asks for one. */
void tokenizer_begin(const Tokenizer *tokenizer, TokenList *tokens);

/* Append the tokens that end a sequence, when the file asks for some (bert: always one).  For
 * texts that are whole: nothing is written behind them. */
void tokenizer_end(const Tokenizer *tokenizer, TokenList *tokens);

/* The bytes a token stands for, borrowed from the tokenizer.  Special tokens have none unless
 * `special`, and those behind the vocabulary, pieces of pictures, have none. They may be part
 * of a UTF-8 character. */
Text tokenizer_piece(const Tokenizer *tokenizer, int32_t id, bool special);

/* Whether the file asks for a space before the text (llama): decoding from the start drops it
 * again. */
bool tokenizer_space_prefix(const Tokenizer *tokenizer);

size_t tokenizer_count(const Tokenizer *tokenizer);
int32_t tokenizer_bos(const Tokenizer *tokenizer); /* -1: none */
int32_t tokenizer_eos(const Tokenizer *tokenizer); /* -1: none */

/* What stands in a place whose token is not known yet; -1: none. */
int32_t tokenizer_mask(const Tokenizer *tokenizer);

/* Is it in the set of end-of-generation tokens? */
bool tokenizer_is_end(const Tokenizer *tokenizer, int32_t id);

/* The token with this name, or -1. */
int32_t tokenizer_find(const Tokenizer *tokenizer, const char *name);

/* What a higher layer makes from a tokenizer once and keeps with it: made at the first call,
 * whichever thread it is from, closed with the tokenizer.  There is one; all callers give the
 * same functions.
 *
 * Fails when `make` does; the next call tries again. */
void *tokenizer_companion(const Tokenizer *tokenizer,
                          void *(*make)(const Tokenizer *tokenizer, Fault *fault),
                          void (*close)(void *companion), Fault *fault);

/* Learn a byte-level BPE vocabulary and write it as the tokenizer of a GGUF file.
 *
 *   texts     the corpus to count words in (special tokens in it are cut out)
 *   specials  get the first ids; the first one becomes BOS and EOS
 *   vocab     size of the vocabulary: specials, 256 bytes, and as many merges as fit
 *
 * Fails when the corpus is too small for that many merges. */
bool bpe_train(const Text *texts, size_t n_texts, const char *const *specials,
               size_t n_specials, size_t vocab, GgufWriter *out, Fault *fault);

#endif
