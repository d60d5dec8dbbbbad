/* tokenizers.h - what else tokenizers do: another program's way to split text,
 * fill-in-the-middle, pairs of texts, why a text becomes these tokens.  Kinds beside those of
 * tokenizer.h, as GGUF files name them:
 *
 *   gemma4      byte pairs on characters, spaces written as U+2581
 *   t5          Unigram: of all ways to cut the text into tokens the most probable one
 *               Kudo 2018, arXiv:1804.10959
 *   bert        WordPiece: words in lower case without accents, the longest token first
 *               Devlin et al. 2018, arXiv:1810.04805; Song et al. 2020, arXiv:2012.15524
 *   rwkv        the longest token that the text begins with, again and again
 *   whitespace  BPE on the characters of words; white space is dropped
 *
 * t5, bert and whitespace normalize text first, and only that comes back; gemma4 and rwkv give
 * it back byte for byte. */
#ifndef STRATA_TOKENIZERS_H
#define STRATA_TOKENIZERS_H

#include "tokenizer.h"

/* WordPiece as it was trained: a word of more characters than this is one unknown token. */
enum { WORDPIECE_LONGEST = 100 };

/* How text is split where llama.cpp does not split it as the models were trained (eleven rules;
 * see extras/pre_rules.c), and what becomes of bytes that are no UTF-8: as trained, of gpt2 and
 * gemma4 they keep their tokens; as llama.cpp, each is U+FFFD. */
typedef enum TokenStyle { TOKENS_AS_TRAINED, TOKENS_AS_LLAMA_CPP } TokenStyle;

/* tokenizer_open in a style; tokenizer_open's is as trained. */
Tokenizer *tokenizer_open_as(const Gguf *gguf, TokenStyle style, Fault *fault);

/* What happens on the way from a text to its tokens. */
typedef struct TokenEvent {
    enum {
        EVENT_SPECIAL, /* a special token: text, id */
        EVENT_WORD, /* what is looked at by itself: text; stage and rule when a pattern matched it */
        EVENT_MERGE, /* two pieces of the word became text, which is pieces[changed] */
        EVENT_TOKEN  /* of the word: text, id */
    } kind;
    Text text;
    int32_t id;
    int stage;          /* of the rules to split by, from 0; -1: it lies between two matches */
    Text rule;          /* the alternative of the pattern that matched */
    const Text *pieces; /* (n_pieces) all of the word after the merge */
    size_t n_pieces, changed;
    double priority; /* MERGE: rank, or minus its score; TOKEN: score, if there are some */
} TokenEvent;

typedef void TokenReport(void *context, const TokenEvent *event);

/* tokenizer_encode, and `report` gets every word, merge and token in their order.  Merges of
 * words of more than 100 pieces are not reported. */
bool tokenizer_explain(const Tokenizer *tokenizer, Text text, bool special, TokenReport *report,
                       void *context, TokenList *tokens, Fault *fault);

/* Are merges ordered by rank?  (else by score, or there are none) */
bool tokenizer_has_ranks(const Tokenizer *tokenizer);

/* Append two texts as one sequence, for a model that compares them:
 *
 *     bert     [CLS] first [SEP] second [SEP]
 *     others   what begins a text, first, what ends a text, the token between two, second,
 *              what ends a text; each where the file asks for it
 *
 *   begin   gets where the second one begins, from where the sequence does
 *
 * Fails, and appends nothing, as tokenizer_encode does, and when nothing would stand between
 * them. */
bool tokenizer_encode_pair(const Tokenizer *tokenizer, Text first, Text second,
                           TokenList *tokens, size_t *begin, Fault *fault);

/* Fill in the middle: append what asks a model for the text between two others, as its family
 * writes it: mostly prefix, suffix, middle, each behind its mark.  What a sequence begins with
 * goes before (tokenizer_begin).
 *
 *   before, behind   plain text, whatever it says; may be empty
 *   ends             gets the tokens that end a middle, beside those that end any text
 *
 * The marks are those that the file's keys name, else tokens with a known name.  Fails, and
 * appends nothing, when there are none, and as tokenizer_encode does.
 * Source   Bavarian et al. 2022, arXiv:2207.14255 */
bool tokenizer_fill(const Tokenizer *tokenizer, Text before, Text behind, TokenList *tokens,
                    TokenList *ends, Fault *fault);

/* The name (tokenizer.ggml.pre) of the rule that splits text by these patterns, each on what
 * the one before has left; NULL: there is none.
 *
 *   patterns        (count)
 *   ignore_merges   a word that is a token is that token, whatever the merges make */
const char *tokenizer_rule_name(const Text *patterns, size_t count, bool ignore_merges);

#endif
