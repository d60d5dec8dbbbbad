/* kinds.c - the kinds of tokenizers, by the name that files have for them (tokenizer.ggml.model).
 * Source   llama.cpp (d8a24cc, June 2026), llama_vocab::impl::load: what a file without the key means. */
#include "vocab.h"

static const Kind kinds[] = {
    {.name = "gpt2", /* byte-level BPE */
     .spelling = SPELLED_VISIBLE,
     .needs = "tokenizer.ggml.merges",
     .encode = encode_split_text,
     .bos = 11,
     .eos = 11,
     .unknown = -1,
     .separator = -1,
     .merges = true},
    {.name = "gemma4", /* BPE on characters */
     .spelling = SPELLED_SPACES,
     .needs = "tokenizer.ggml.merges",
     .encode = encode_split_text,
     .bos = -1,
     .eos = -1,
     .unknown = -1,
     .separator = -1,
     .add_bos = true,
     .merges = true,
     .pre = "gemma4"},
    {.name = "llama", /* SentencePiece BPE */
     .spelling = SPELLED_SPACES,
     .needs = "tokenizer.ggml.scores",
     .encode = encode_merged_text,
     .bos = 1,
     .eos = 2,
     .unknown = 0,
     .separator = -1,
     .add_bos = true,
     .space_prefix = true},
    {.name = "t5", /* Unigram */
     .spelling = SPELLED_SPACES,
     .needs = "tokenizer.ggml.scores",
     .encode = encode_unigram,
     .bos = -1,
     .eos = 1,
     .unknown = 2,
     .separator = -1,
     .add_eos = true},
    {.name = "bert", /* WordPiece */
     .spelling = SPELLED_SPACES,
     .encode = encode_wordpiece,
     .bos = 101,
     .eos = -1,
     .unknown = 100,
     .separator = 102,
     .add_bos = true,
     .add_separator = true,
     .lowercase = true},
    {.name = "rwkv", /* the longest token, again and again */
     .spelling = SPELLED_BACKSLASH,
     .encode = encode_longest,
     .bos = -1,
     .eos = -1,
     .unknown = -1,
     .separator = -1},
    {.name = "whitespace", /* BPE on the characters of words; white space is dropped */
     .spelling = SPELLED_PLAIN,
     .needs = "tokenizer.ggml.merges",
     .encode = encode_between_space,
     .bos = 11,
     .eos = 11,
     .unknown = -1,
     .separator = -1,
     .merges = true},
};

const Kind *kind_by_name(Text name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_equal(name, text_of(kinds[i].name))) return &kinds[i];
    return NULL;
}
