/* chain.h - stages in a row.
 *
 *     penalties:rep=1.1:last=64,top_k:40,top_p:0.95,min_p:0.05,temp:0.8,draw
 *
 * Stages are separated by commas and run in this order; a stage is a name and its parameters,
 * each `:value` or `:key=value`.  The last one selects the token; if it does not, `draw` is
 * appended.  A preset's name expands to its stages.  `off` disables a stage, which is then
 * printed as top_k:off.
 *
 * Invariant: parsing what chain_print returns gives the same stages and parameters
 * [specs_round_trip]. */
#ifndef STRATA_CHAIN_H
#define STRATA_CHAIN_H

#include "stage.h"

enum { CHAIN_STAGES = 32 };

/* Called with the candidates before the first stage (stage is NULL) and after every stage. */
typedef void ChainObserver(void *context, const Stage *stage, Candidates *candidates);

typedef struct Chain {
    Stage stages[CHAIN_STAGES]; /* owned */
    size_t count;
    size_t begun; /* how often it was reset */
    size_t vocab; /* tokens of the vocabulary it was parsed for; 0: none */
    /* bytes of the prompt that the next tokens must spell again: set before a reset */
    size_t pending;
    ChainObserver *observer; /* NULL: none */
    void *observer_context;
} Chain;

/* The chain used when none is given. */
extern const char chain_default[];

typedef struct ChainPreset {
    const char *name, *spec, *gloss;
} ChainPreset;
size_t chain_presets(const ChainPreset **list);

/* Parse a chain; close it when done.
 *
 *   tokenizer   turns texts into tokens (ban); NULL: chains that need one are refused
 *
 * Fails on an unknown name or key, a value out of range or a token the tokenizer does not have;
 * the fault lists the valid ones.  Nothing is left open then. */
bool chain_parse(Chain *chain, const char *spec, const Tokenizer *tokenizer, Fault *fault);
void chain_close(Chain *chain);

/* The chain syntax meant by an unknown name ("top_k:", "greedy", "penalties:rep="): the same
 * name in another case or with other - and _, or what other programs call it ("temperature").
 * False: unknown. */
bool chain_meant_alias(Text name, char *out, size_t size);

/* The same, or else the stage or preset with the nearest name. */
bool chain_meant(Text name, char *out, size_t size);

/* Copy a chain with its state; close the copy, too. */
void chain_copy(Chain *to, const Chain *from);

/* The chain as canonical text, without parameters at their defaults.  Free it. */
char *chain_print(const Chain *chain);

/* Run all stages over the candidates, in order, skipping those that are off.  *token is what
 * the last one selected, candidates->chosen.  The observer is called before the first stage and
 * after every one.
 *
 * Fails
 *   - when a stage leaves no token above -infinity, naming the stage
 *   - when a logit becomes NaN or +infinity, naming the stage and the token
 *   - when a second model's logits have one, naming the model
 *   - when a stage needs something the step lacks, such as a second model, naming it
 *   - when a stage names a token that the vocabulary does not have
 *   - when no token was selected (it is negative), naming the last stage
 *
 * Tutorial layer6/order.html */
bool chain_run(Chain *chain, Candidates *candidates, const Step *step, int32_t *token,
               Fault *fault);

/* Fails when a stage names a token that a vocabulary of this size does not have. */
bool chain_check_tokens(const Chain *chain, size_t vocab, Fault *fault);

/* The first active stage with one of these needs (stage.h).  NULL: none, or no chain. */
const StageKind *chain_needs(const Chain *chain, unsigned needs);

/* Does the step have what a stage needs, and are the second models' logits (vocab; 0: there are
 * none yet) finite?
 *
 * Fails naming the stage, or the second model. */
bool stage_check(const Stage *stage, const Step *step, size_t vocab, Fault *fault);

/* Before a text begins: does the step have what all active stages need, and do each two stages
 * that constrain texts have a text in common, as far as they can tell?
 *
 * Fails naming the stage. */
bool chain_check(const Chain *chain, const Step *step, Fault *fault);

/* Update the stages' state: call it once for every generated token. */
void chain_accept(Chain *chain, int32_t token);

/* Does a stage end the text after the accepted tokens? */
bool chain_ends(const Chain *chain);

/* Forget the last n accepted tokens. */
void chain_rewind(Chain *chain, size_t n);

/* Forget all accepted tokens. */
void chain_reset(Chain *chain);

#endif
