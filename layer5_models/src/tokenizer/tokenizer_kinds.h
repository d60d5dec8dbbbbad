/* tokenizer_kinds.h - the kinds of tokenizers as rows (tokenizer.ggml.model).
 *
 * A new kind is one file and one row. */
#ifndef STRATA_TOKENIZER_KINDS_H
#define STRATA_TOKENIZER_KINDS_H

#include "encoder.h"

typedef struct TokenizerKind {
    const char *name;
    const char *needs;    /* a required key; NULL: none */
    const char *own_keys; /* keys that only some kinds use, this one included */
    Unescape *unescape;   /* how the file writes bytes; NULL: as they are */
    bool spaces;          /* it writes spaces as U+2581, and bytes as <0x0A> */
    bool merges;          /* pairs of tokens are merged, by rank */
    bool splits;          /* text is first split into words by patterns */
    const char *pre;      /* by this rule; NULL: the file's (tokenizer.ggml.pre) */
    EncodeText *encode;
    /* read the kind's own data, after the vocabulary, and free it; NULL: none */
    bool (*open)(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);
    void (*close)(Tokenizer *tokenizer);
    /* if the file names none; -1: none */
    int32_t bos, eos, unknown, separator;
    /* unless the file says otherwise */
    bool add_bos, add_eos, space_prefix;
} TokenizerKind;

/* The table; the last row has no name.  The core's is tokenizer_kinds.c;
 * extras/tokenizer_kinds.c, with all kinds, replaces it in programs that link it. */
extern const TokenizerKind tokenizer_kinds[];

/* Their names, for the fault about an unknown kind. */
extern const char *const tokenizer_kinds_known;

/* clang-format off */
/*   keys   more of own_keys, which read_keys (`open`) reads */
#define TOKENIZER_KINDS_OF_THE_CORE(keys, read_keys)                                         \
    {.name = "gpt2", /* byte-level BPE */                                                    \
     .needs = "tokenizer.ggml.merges", .own_keys = keys, .unescape = unescape_visible,       \
     .merges = true, .splits = true, .encode = encode_split_text, .open = read_keys,         \
     .bos = 11, .eos = 11, .unknown = -1, .separator = -1},                                  \
    {.name = "llama", /* SentencePiece BPE */                                                \
     .needs = "tokenizer.ggml.scores", .own_keys = "add_space_prefix " keys, .spaces = true, \
     .encode = encode_merged_text, .open = read_keys, .bos = 1, .eos = 2, .unknown = 0,      \
     .separator = -1, .add_bos = true, .space_prefix = true}
/* clang-format on */

#endif
