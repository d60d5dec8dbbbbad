/* vocab_read.h - from a model file to a tokenizer's tables; private to layer 5. */
#ifndef STRATA_VOCAB_READ_H
#define STRATA_VOCAB_READ_H

#include "../tokenizer/tokenizer_kinds.h"

/* tokenizer_open in another program's style (NULL: as trained). */
Tokenizer *tokenizer_read(const Gguf *gguf, const struct LlamaStyle *as_llama, Fault *fault);

/* keys.c: every key of the file that begins with "tokenizer." is known, of its type, and asks
 * for nothing that is not built in; else the fault names it. */
bool keys_check(const Gguf *gguf, const TokenizerKind *kind, size_t tokens, Fault *fault);
/* The id in tokenizer.ggml.WHICH_token_id; default_value when the key is missing (-1 where that
 * is no token). */
int32_t key_token(const Gguf *gguf, const char *which, size_t tokens, int32_t default_value);
bool key_flag(const Gguf *gguf, const char *key, bool default_value);

/* tables.c: types, scores, symbols, pieces and merges of a file whose keys were checked. */
bool tables_read(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);

/* specials.c: types and ends of generation by name, whatever the file says, as llama.cpp has
 * them; then the tree of those that are matched in text. */
void specials_by_name(Tokenizer *tokenizer, const Gguf *gguf);
bool specials_collect(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);

#endif
