/* heal.h - token healing: the end of a prompt is tokenized again.
 *
 * A prompt may end inside a word, in tokens that the model has never seen end there:
 *
 *     "Onc"  =  |On|c|      |e| never follows these tokens; the model knows |Once|
 *
 * So the last tokens are dropped, and the next ones must spell their bytes and may continue
 * from there. As many are dropped as end the prompt with the beginning of a longer token.
 *
 * Invariant: the prompt's text = the text of the remaining tokens, then the pending bytes
 * [healing_keeps_the_letters]. */
#ifndef STRATA_HEAL_H
#define STRATA_HEAL_H

#include "generate.h"

enum { HEAL_MAX = 8 }; /* tokens that may be dropped */

typedef struct Heal {
    char *pending; /* (size) bytes that the next tokens must spell; owns; free with heal_free */
    size_t size;
} Heal;

/* Drop tokens from the prompt's end, unless no longer token begins with the last one's text.
 * The first token and special tokens stay.
 *
 * Fails without memory. */
bool heal_prompt(Heal *heal, const Tokenizer *tokenizer, TokenList *prompt, Fault *fault);
void heal_free(Heal *heal);

/* The text must begin with the pending bytes; borrowed while it is generated.  No effect
 * without any. */
void with_heal(GenerateOptions *options, const Heal *heal);

/* Allow only tokens that continue the pending bytes after the first `spelled`; logits
 * (vocab) of all others become -infinity. */
void heal_mask(const Heal *heal, size_t spelled, const Tokenizer *tokenizer, float *logits,
               size_t vocab);

/* A token's text without the bytes that repeat the prompt; counts them. */
Text heal_cut(const Heal *heal, size_t *spelled, Text piece);

#endif
