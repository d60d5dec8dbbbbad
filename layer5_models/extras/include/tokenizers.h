/* tokenizers.h - other uses of tokenizers: llama.cpp's way to split text, fill-in-the-middle,
 * pairs of texts, explanations.  More kinds, as GGUF files name them:
 *
 *   gemma4      BPE on characters, spaces written as U+2581
 *   t5          Unigram: of all ways to cut the text into tokens the most probable one
 *               Kudo 2018, arXiv:1804.10959
 *   bert        WordPiece: words in lower case without accents, the longest token first
 *               Devlin et al. 2018, arXiv:1810.04805; Song et al. 2020, arXiv:2012.15524
 *   rwkv        the longest token that the text begins with, repeatedly
 *   whitespace  BPE on the characters of words; white space is dropped
 *
 * t5, bert and whitespace normalize text first, and decode to the normalized text; gemma4 and
 * rwkv return it byte for byte. */
#ifndef STRATA_TOKENIZERS_H
#define STRATA_TOKENIZERS_H

#include "tokenizer.h"

/* WordPiece as trained: a word of more characters is one unknown token. */
enum { WORDPIECE_LONGEST = 100 };

/* Whether text is split as the models were trained, or as llama.cpp does (eleven rules differ:
 * see extras/pre_rules.c).  Invalid UTF-8: as trained, gpt2 and gemma4 keep the bytes' tokens;
 * llama.cpp replaces each byte by U+FFFD. */
typedef enum TokenStyle { TOKENS_AS_TRAINED, TOKENS_AS_LLAMA_CPP } TokenStyle;

/* tokenizer_open in a given style (tokenizer_open: as trained). */
Tokenizer *tokenizer_open_as(const Gguf *gguf, TokenStyle style, Fault *fault);

/* A step of encoding a text. */
typedef struct TokenEvent {
    enum {
        EVENT_SPECIAL, /* a special token: text, id */
        EVENT_WORD,    /* a word: text; stage and rule if a pattern matched it */
        EVENT_MERGE,   /* two pieces of the word merged into text, which is pieces[changed] */
        EVENT_TOKEN    /* of the word: text, id */
    } kind;
    Text text;
    int32_t id;
    int stage;          /* which of the rule's patterns, from 0; -1: text between two matches */
    Text rule;          /* the alternative of the pattern that matched */
    const Text *pieces; /* (n_pieces) the whole word after the merge */
    size_t n_pieces, changed;
    double priority; /* MERGE: rank, or minus its score; TOKEN: score, if any */
} TokenEvent;

typedef void TokenReport(void *context, const TokenEvent *event);

/* tokenizer_encode, with every word, merge and token reported in order.  Merges of words of
 * more than 100 pieces are not reported. */
bool tokenizer_explain(const Tokenizer *tokenizer, Text text, bool special, TokenReport *report,
                       void *context, TokenList *tokens, Fault *fault);

/* Are merges ordered by rank?  (Otherwise by score, or there are none.) */
bool tokenizer_has_ranks(const Tokenizer *tokenizer);

/* Append two texts as one sequence, for a model that compares them:
 *
 *     bert     [CLS] first [SEP] second [SEP]
 *     others   BOS, first, EOS, the separator, second, EOS; each if the file asks for it
 *
 *   begin   where the second one begins, counted from the start of the sequence
 *
 * Fails, and appends nothing, as tokenizer_encode does, or when nothing would separate them. */
bool tokenizer_encode_pair(const Tokenizer *tokenizer, Text first, Text second,
                           TokenList *tokens, size_t *begin, Fault *fault);

/* Append a fill-in-the-middle prompt for the text between two others, in the family's form:
 * mostly prefix, suffix, middle, each after its special token.  Call tokenizer_begin first.
 *
 *   before, behind   plain text; may be empty
 *   ends             gets the tokens that end a middle, besides those that end any text
 *
 * The special tokens are those named by the file's keys, else tokens with a known name.  Fails,
 * and appends nothing, when there are none, and as tokenizer_encode does.
 *
 * Source   Bavarian et al. 2022, arXiv:2207.14255 */
bool tokenizer_fill(const Tokenizer *tokenizer, Text before, Text behind, TokenList *tokens,
                    TokenList *ends, Fault *fault);

/* Data that a higher layer derives from a tokenizer once: made at the first call, from any
 * thread, and closed with the tokenizer.  There is one; all callers pass the same functions.
 *
 * Fails when `make` does; the next call tries again. */
void *tokenizer_companion(const Tokenizer *tokenizer,
                          void *(*make)(const Tokenizer *tokenizer, Fault *fault),
                          void (*close)(void *companion), Fault *fault);

/* The name (tokenizer.ggml.pre) of the rule with these patterns; NULL: none.
 *
 *   patterns        (count)
 *   ignore_merges   a word that is a token is not merged */
const char *tokenizer_rule_name(const Text *patterns, size_t count, bool ignore_merges);

#endif
