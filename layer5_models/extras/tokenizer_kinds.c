/* tokenizer_kinds.c - all kinds of tokenizers: the core's and those of tokenizers/.
 *
 * Source   llama.cpp (d8a24cc, June 2026), llama_vocab::impl::load, for the defaults of missing
 * keys. */
#include "tokenizer/tokenizer_kinds.h"
#include "tokenizers/kind_data.h"
#include "tokenizers/normal_form.h"

#define FORM "normalizer.form "

/* clang-format off */
const TokenizerKind tokenizer_kinds[] = {
    TOKENIZER_KINDS_OF_THE_CORE(FORM, normal_form_read),
    {.name = "gemma4", /* BPE on characters */
     .needs = "tokenizer.ggml.merges", .own_keys = FORM, .spaces = true,
     .merges = true, .splits = true, .pre = "gemma4", .encode = encode_split_text,
     .open = always_begins, .bos = -1, .eos = -1, .unknown = -1, .separator = -1},
    {.name = "t5", /* Unigram */
     .needs = "tokenizer.ggml.scores",
     .own_keys = FORM "add_space_prefix remove_extra_whitespaces precompiled_charsmap", .spaces = true,
     .encode = encode_unigram, .open = open_unigram, .close = close_kind_data,
     .bos = -1, .eos = 1, .unknown = 2, .separator = -1, .add_eos = true},
    {.name = "bert", /* WordPiece */
     .own_keys = FORM "normalizer.lowercase normalizer.strip_accents", .spaces = true,
     .encode = encode_wordpiece, .open = open_wordpiece, .close = close_kind_data,
     .bos = 101, .eos = -1, .unknown = 100, .separator = 102},
    {.name = "rwkv", /* the longest token, repeatedly */
     .own_keys = FORM, .unescape = unescape_backslashes,
     .encode = encode_longest, .open = open_longest, .close = close_kind_data,
     .bos = -1, .eos = -1, .unknown = -1, .separator = -1},
    {.name = "whitespace", /* BPE on the characters of words; white space is dropped */
     .needs = "tokenizer.ggml.merges", .own_keys = FORM "normalizer.lowercase", .merges = true,
     .encode = encode_between_space, .open = open_between_space, .close = close_kind_data,
     .bos = 11, .eos = 11, .unknown = -1, .separator = -1},
    {0}};
/* clang-format on */

const char *const tokenizer_kinds_known =
    "gpt2, gemma4, llama, t5, bert, rwkv and whitespace are built in";
