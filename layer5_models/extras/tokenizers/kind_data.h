/* kind_data.h - data of these kinds besides a vocabulary; private to extras/. */
#ifndef STRATA_KIND_DATA_H
#define STRATA_KIND_DATA_H

#include "../../src/tokenizer/tokenizer_kinds.h"
#include "charsmap.h"

typedef struct KindData {
    PrefixTree words; /* t5, bert, rwkv: the tokens that text may become */
    double unknown_score;
    Charsmap charsmap;
    bool lowercase, strip_accents, merge_spaces; /* normalization */
} KindData;

static inline const KindData *kind_data(const Tokenizer *tokenizer) { return tokenizer->data; }

/* TokenizerKind's open and close, for the rows of extras/tokenizer_kinds.c. */
bool always_begins(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);
bool open_unigram(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);
bool open_wordpiece(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);
bool open_longest(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);
bool open_between_space(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);
void close_kind_data(Tokenizer *tokenizer);

EncodeText encode_unigram;
EncodeText encode_wordpiece;
EncodeText encode_longest;
EncodeText encode_between_space; /* characters.c */

EncodeWord encode_best_path;  /* unigram.c; spaces are U+2581 */
EncodeWord encode_pieces;     /* wordpiece.c; with U+2581 in front */
EncodeWord encode_characters; /* characters.c: BPE on characters, not on bytes */
EncodeWord
    encode_lines_whole; /* the same, but a run of newlines that is a token is that token */

Unescape unescape_backslashes; /* longest.c: \n, \t, \r and \x0A to bytes */

#endif
