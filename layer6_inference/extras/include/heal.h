/* heal.h - the end of a prompt, spelled anew.
 *
 * A prompt may end inside a word, and then in tokens that the model has never seen end there:
 *
 *     "Onc"  =  |On|c|      no text goes on with |e| after these; it is |Once| that the model knows
 *
 * So tokens at the end are dropped, and those that come must spell the letters they held, and
 * may go on from there.  As many go as end the prompt with the beginning of some longer token.
 *
 * Invariant: the prompt's text = the text of the tokens that stay, then `pending`. */
#ifndef STRATA_HEAL_H
#define STRATA_HEAL_H

#include "generate.h"

enum { HEAL_MAX = 8 }; /* tokens that may go */

typedef struct Heal {
    char *pending; /* (size) bytes that the next tokens must spell; owns; free with heal_free */
    size_t size;
} Heal;

/* Drop tokens from the prompt's end; none when no longer token begins with its last one's text.
 * Its first token and special ones stay.
 *
 * Fails when memory runs out. */
bool heal_prompt(Heal *heal, const Tokenizer *tokenizer, TokenList *prompt, Fault *fault);
void heal_free(Heal *heal);

/* The text must begin with what the prompt is owed, borrowed for as long as it is generated.
 * Nothing owed: nothing happens. */
void with_heal(GenerateOptions *options, const Heal *heal);

/* Leave only tokens that spell on, after the first `spelled` bytes of what is owed; logits
 * (vocab) of all others become -infinity. */
void heal_mask(const Heal *heal, size_t spelled, const Tokenizer *tokenizer, float *logits,
               size_t vocab);

/* What is new in a token's text, without the letters that were in the prompt; counts these. */
Text heal_cut(const Heal *heal, size_t *spelled, Text piece);

#endif
