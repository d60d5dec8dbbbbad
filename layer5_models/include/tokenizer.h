/* tokenizer.h - text to token ids and back.
 *
 * Kinds, as GGUF files name them (extras/include/tokenizers.h has more):
 *
 *   gpt2    byte-level BPE: text is split into words by patterns, each word's bytes are merged
 *           pair by pair in the order in which the merges were learned
 *           Sennrich et al. 2015, arXiv:1508.07909
 *   llama   SentencePiece BPE: the whole text, with spaces as U+2581, is merged pair by pair,
 *           best score first; characters without a token fall back to bytes
 *           Kudo & Richardson 2018, arXiv:1808.06226
 *
 * Invariant: decoding the tokens of a text returns the text, byte for byte (except for a space
 * that may be added in front, and white space that Phi 3 drops after special tokens), unless
 * the vocabulary lacks a byte and has an unknown token [any_bytes_come_back]. */
#ifndef STRATA_TOKENIZER_H
#define STRATA_TOKENIZER_H

#include "transformer.h"

typedef struct Tokenizer Tokenizer;

/* What a token is, as GGUF files number it (tokenizer.ggml.token_type). */
enum {
    TOKEN_UNDEFINED = 0,
    TOKEN_NORMAL = 1,
    TOKEN_UNKNOWN = 2, /* for text without a token */
    TOKEN_CONTROL = 3, /* never matched in a user's text */
    TOKEN_USER = 4,    /* matched in text before everything else */
    TOKEN_UNUSED = 5,
    TOKEN_BYTE = 6
};

typedef struct TokenList {
    int32_t *ids; /* owns; free with token_list_free */
    size_t count, capacity;
} TokenList;

/* Room for `more` tokens; fails when memory is short. */
bool token_list_reserve(TokenList *list, size_t more, Fault *fault);
void token_list_add(TokenList *list, int32_t id);
void token_list_free(TokenList *list);

/* Read the tokenizer of a model file.
 *
 *   gguf   borrowed only during the call
 *
 * Fails, naming it, when a key "tokenizer.*" is missing, unknown or of the wrong type, or asks
 * for an unsupported kind or pre-tokenizer (default: "default").
 *
 * Tokens known as ends of text or for fill-in-the-middle are control tokens by name, whatever
 * their type in the file. */
Tokenizer *tokenizer_open(const Gguf *gguf, Fault *fault);

void tokenizer_close(Tokenizer *tokenizer);

/* Append the tokens of a text.
 *
 *   special   match the names of control tokens (<|im_start|>); else they are plain text
 *             (user-defined tokens are always matched)
 *
 * Fails, and appends nothing, when memory is short or the vocabulary has no token for a byte.
 * O(n log n) time and memory. */
bool tokenizer_encode(const Tokenizer *tokenizer, Text text, bool special, TokenList *tokens,
                      Fault *fault);

/* The same for a template's text with a user's words in it: control tokens are matched except
 * where a user wrote one of their bytes.
 *
 *   user   (text.size) 1: a user wrote this byte */
bool tokenizer_encode_marked(const Tokenizer *tokenizer, Text text, const unsigned char *user,
                             TokenList *tokens, Fault *fault);

/* Append BOS if the file asks for it. */
void tokenizer_begin(const Tokenizer *tokenizer, TokenList *tokens);

/* Append the tokens that end a complete sequence if the file asks for them (bert: always). */
void tokenizer_end(const Tokenizer *tokenizer, TokenList *tokens);

/* The bytes of a token, borrowed from the tokenizer; they may be part of a UTF-8 character.
 * Special tokens have none unless `special`; ids beyond the vocabulary (image patches) have
 * none. */
Text tokenizer_piece(const Tokenizer *tokenizer, int32_t id, bool special);

/* Does the file add a space before the text (llama)?  Decoding from the start drops it
 * again. */
bool tokenizer_space_prefix(const Tokenizer *tokenizer);

size_t tokenizer_count(const Tokenizer *tokenizer);
int32_t tokenizer_bos(const Tokenizer *tokenizer); /* -1: none */
int32_t tokenizer_eos(const Tokenizer *tokenizer); /* -1: none */

/* The mask token, for positions not yet filled; -1: none. */
int32_t tokenizer_mask(const Tokenizer *tokenizer);

/* Is it in the set of end-of-generation tokens? */
bool tokenizer_is_end(const Tokenizer *tokenizer, int32_t id);

/* The token with this name, or -1. */
int32_t tokenizer_find(const Tokenizer *tokenizer, const char *name);

/* Learn a byte-level BPE vocabulary and write it as the tokenizer of a GGUF file.
 *
 *   texts     the corpus (special tokens in it are cut out)
 *   specials  get the first ids; the first one becomes BOS and EOS
 *   vocab     its size: specials, 256 bytes, and as many merges as fit
 *
 * Fails when the corpus is too small for that many merges. */
bool bpe_train(const Text *texts, size_t n_texts, const char *const *specials,
               size_t n_specials, size_t vocab, GgufWriter *out, Fault *fault);

#endif
