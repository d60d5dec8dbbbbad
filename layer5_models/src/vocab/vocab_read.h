/* vocab_read.h - from a model file to a tokenizer's tables; private to layer 5. */
#ifndef STRATA_VOCAB_READ_H
#define STRATA_VOCAB_READ_H

#include "../tokenizer/tokenizer_kinds.h"

/* tokenizer_open in another program's style (NULL: as trained). */
Tokenizer *tokenizer_read(const Gguf *gguf, const struct LlamaStyle *as_llama, Fault *fault);

/* keys.c: fails, naming the key, when a key "tokenizer.*" is unknown, of the wrong type or not
 * supported. */
bool keys_check(const Gguf *gguf, const TokenizerKind *kind, size_t tokens, Fault *fault);
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

#endif
