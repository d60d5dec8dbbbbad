/* chain.h - stages in a row.
 *
 *     penalties:rep=1.1:last=64,top_k:40,top_p:0.95,min_p:0.05,temp:0.8,draw
 *
 * Stages are separated by commas and run in this order; a stage is a name and its parameters, each
 * `:value` or `:key=value`.  The last one selects the token; when it does not, `draw` is appended.
 * A preset's name stands for its stages.  `off` switches a stage off, and a stage that is off is
 * printed as top_k:off.
 *
 * Invariant: parsing what chain_print returns gives the same stages and parameters. */
#ifndef STRATA_CHAIN_H
#define STRATA_CHAIN_H

#include "stage.h"

enum { CHAIN_STAGES = 32 };

/* Called with the candidates before the first stage (stage is NULL then) and after every stage. */
typedef void ChainObserver(void *context, const Stage *stage, Candidates *candidates);

typedef struct Chain {
    Stage stages[CHAIN_STAGES]; /* owned */
    size_t count;
    size_t begun; /* how often it was reset */
    size_t
        pending; /* bytes of the prompt that the next tokens spell again: set before a reset */
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
 * Fails on an unknown name or key, on a value out of range and on a token that the tokenizer does
 * not have; the fault lists the valid ones.  Nothing is left open then. */
bool chain_parse(Chain *chain, const char *spec, const Tokenizer *tokenizer, Fault *fault);
void chain_close(Chain *chain);

/* What a name stands for that is no stage, as it begins in a chain ("top_k:", "greedy",
 * "penalties:rep="): the same without case, - and _, or as other programs call it
 * ("temperature").  False: nothing is known. */
bool chain_meant_alias(Text name, char *out, size_t size);

/* The same, or else the stage or preset whose name is nearest. */
bool chain_meant(Text name, char *out, size_t size);

/* A second chain with the same stages and the same state; close it, too. */
void chain_copy(Chain *to, const Chain *from);

/* The chain as canonical text: parameters at their defaults are left out.  Free it. */
char *chain_print(const Chain *chain);

/* Run all stages over the candidates, in order; one that is off is passed over.  *token is what the last one selected,
 * candidates->chosen.  The observer is called before the first stage and after every one.
 *
 * Fails
 *   when a stage left no token above -infinity, naming the stage
 *   when a logit became NaN or +infinity, naming the stage and the token, or the second model whose
 *     logits had one
 *   when a stage needs something the step lacks (a second model, for instance), naming it
 *   when a stage names a token that the vocabulary does not have
 *   when no token was selected (it is negative), naming the last stage
 *
 * What must hold before is asked with chain_check.
 * Tutorial layer6/order.html */
bool chain_run(Chain *chain, Candidates *candidates, const Step *step, int32_t *token,
               Fault *fault);

/* Fails when a stage names a token that a vocabulary of this size does not have. */
bool chain_check_tokens(const Chain *chain, size_t vocab, Fault *fault);

/* The first stage of that name that is not off, or NULL. */
const Stage *chain_find(const Chain *chain, const char *name);

/* The first stage, of those that are not off, that reads the logits of a weaker model; those of a second text; what would
 * follow each token.  NULL: none does, or there is no chain. */
const StageKind *chain_needs_amateur(const Chain *chain);
const StageKind *chain_needs_guide(const Chain *chain);
const StageKind *chain_looks_ahead(const Chain *chain);

/* Does the step have all that the stages need, are the tokens that they name in the vocabulary, and the logits of
 * second models (vocab) numbers?  vocab 0: there are no logits yet, and the first question alone is asked.
 *
 * Fails naming the stage, or the second model. */
bool chain_check(const Chain *chain, const Step *step, size_t vocab, Fault *fault);

/* The token was accepted: stages update their state.  Call it once for every generated token. */
void chain_accept(Chain *chain, int32_t token);

/* Run the stages of a chain that change logits and select no token; those that are off are passed over. */
void chain_restrict(Chain *chain, Candidates *candidates, const Step *step);

/* Does a stage say that nothing may follow the accepted tokens? */
bool chain_ends(const Chain *chain);

/* Forget the last n accepted tokens. */
void chain_rewind(Chain *chain, size_t n);

/* Forget all accepted tokens. */
void chain_reset(Chain *chain);

#endif
