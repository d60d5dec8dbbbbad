/* tokenizer_kinds.c - the kinds of tokenizers of the core.
 *
 * extras/tokenizer_kinds.c, with all kinds, replaces this file in programs that link it.
 *
 * Source   llama.cpp (d8a24cc, June 2026), llama_vocab::impl::load, for the defaults of missing
 *          keys */
#include "tokenizer_kinds.h"

const TokenizerKind tokenizer_kinds[] = {TOKENIZER_KINDS_OF_THE_CORE("", NULL), {0}};

const char *const tokenizer_kinds_known =
    "gpt2 and llama are built in; the program strata reads gemma4, t5, bert, rwkv and "
    "whitespace, too";
