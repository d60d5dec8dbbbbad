/* chain.h - stages in a row.
 *
 *     penalties:rep=1.1:last=64,top_k:40,top_p:0.95,min_p:0.05,temp:0.8,draw
 *
 * Stages are separated by commas; a stage is a name and its parameters, each `:value` or
 * `:key=value`.  The order is the order in which they act.  The last one picks; when no stage does,
 * `draw` is added.  A preset's name stands for its stages.  `off` switches a stage off, and a stage
 * that is off prints so: top_k:off.
 *
 * Invariant: the text chain_print makes is a chain with the same stages and parameters. */
#ifndef STRATA_CHAIN_H
#define STRATA_CHAIN_H

#include "stage.h"

enum { CHAIN_STAGES = 32 };

/* Called with the candidates as they come in (stage NULL) and after every stage. */
typedef void ChainWatch(void *context, const Stage *stage, Candidates *candidates);

typedef struct Chain {
    Stage stages[CHAIN_STAGES]; /* owns their memory */
    size_t count;
    size_t begun;      /* how often its memory began anew */
    ChainWatch *watch; /* NULL: nobody looks */
    void *watch_context;
} Chain;

/* The chain used when none is given. */
extern const char chain_default[];

typedef struct ChainPreset {
    const char *name, *spec, *gloss;
} ChainPreset;
size_t chain_presets(const ChainPreset **list);

/* Read a chain; close it when done.
 *
 *   tokenizer   turns texts into tokens (ban); NULL: chains that need one are refused
 *
 * Fails on an unknown name or key, on a value out of range and on a token that the tokenizer does
 * not have; the fault lists what there is.  Nothing is left open then. */
bool chain_parse(Chain *chain, const char *spec, const Tokenizer *tokenizer, Fault *fault);
void chain_close(Chain *chain);

/* A second chain with the same stages and the same memory; close it, too. */
void chain_copy(Chain *to, const Chain *from);

/* The chain as text, canonically: parameters at their defaults are left out.  To be freed. */
char *chain_print(const Chain *chain);

/* Run all stages over the candidates; the last one picks.
 *
 * Fails
 *   with a dead end, naming the stage that left no token above -infinity
 *   with bad numbers, naming the stage and the token whose logit became NaN or +infinity, or the
 *     second model and the token that came with one
 *   when a stage needs something the step lacks (a second model, for instance), naming that
 *   when a stage names a token that the vocabulary does not have */
bool chain_run(Chain *chain, Candidates *candidates, const Step *step, int32_t *token,
               Fault *fault);

/* Fails when a stage names a token that a vocabulary of this size does not have. */
bool chain_check_tokens(const Chain *chain, size_t vocab, Fault *fault);

/* What the step must bring: fails naming the stage that lacks something. */
bool chain_check(const Chain *chain, const Step *step, Fault *fault);

/* The logits of second models, (vocab) each: fails as candidates_load does, and on +infinity. */
bool chain_check_companions(const Chain *chain, const Step *step, size_t vocab, Fault *fault);

/* The token was taken: stages with memory learn from it.  Call it once for every generated token. */
void chain_accept(Chain *chain, int32_t token);

/* Forget the last n accepted tokens. */
void chain_rewind(Chain *chain, size_t n);

/* Forget all accepted tokens. */
void chain_reset(Chain *chain);

#endif
