/* take.h - what the engine's files share with each other and with extras that handle several
 * texts at once. */
#ifndef STRATA_TAKE_H
#define STRATA_TAKE_H

#include "engine.h"

/* ------------------------------------------------------------------ a text (sequence.c,
 * sequence_take.c) */

/* Begin a text: open its extras, check its options, allocate its memory.  Close it even if this
 * fails. */
bool sequence_open(Sequence *sequence, Engine *engine, Fault *fault);
void sequence_close(Sequence *sequence);
void sequence_fail(Sequence *sequence);

/* Choose a token with the chain.  `logits` is the row for the last token; it is modified.  The
 * chain gets step.history and step.position; then extras may modify the logits (ask_extras). */
bool sequence_choose(Sequence *sequence, Chain *chain, float *logits, int32_t *token,
                     Fault *fault);

/* Append a token, or end the text.  In this order:
 *
 *   1  note_first()
 *   2  a token that ends_before() rejects ends the text; nothing else happens
 *   3  *choice is written (step: from 0, of the answer), chain_accept(), the token is appended
 *      to s->tokens and counted in the result
 *   4  on_choice returns false: STOP_CALLER
 *   5  outgoing() picks the text to output; false: the token was rolled back, nothing else
 *      happens
 *   6  the first that holds ends the text: let_out() found a stop string (STOP_STRING),
 *      chain_ends() (STOP_COMPLETE), ends_after(), given the answer's tokens without the
 *      prompt's and the room left in s->ctx
 *
 * on_choice and stream may be NULL. */
void sequence_append(Sequence *sequence, int32_t token, Choice *choice);

/* ------------------------------------------------------------------ what it has read
 * (engine.c, runner.c) */

/* Tokens that a slot has read, tokens there are, and how many positions of its memory are still
 * the first ones. */
size_t slot_length(const Slot *slot);
size_t slot_total(const Sequence *sequence, const Slot *slot);
size_t slot_kept(const Slot *slot);
int32_t slot_token(const Sequence *sequence, const Slot *slot, size_t i);

/* Roll its memory back to `length` tokens. */
void slot_rewind(Slot *slot, size_t length);

/* The logits of the last token it read. */
float *slot_row(const Slot *slot);

/* Keep what a text has read as a prefix for later ones; reuse the longest cached prefix. */
void sequence_keep_prefixes(const Sequence *sequence);
void engine_share(Engine *engine, Sequence *sequence);

/* Preempt a text: free its pages, keep its tokens; resume one that was preempted or paused.
 * False: it has failed instead. */
void engine_preempt(Engine *engine, Sequence *sequence);
bool engine_resume(Engine *engine, Sequence *sequence);

/* ------------------------------------------------------------------ a step (plan.c,
 * runner.c) */

/* Fill the batch of each model.  After begin_plan() two passes over the live texts that are
 * neither paused nor in the batch: first those that are generating, so that no long prompt
 * delays them, then the rest.  Each pass starts at text e->turn (modulo e->room), which
 * advances by one per step, so that all are first in turn. */
void engine_plan(Engine *engine);

bool runner_open(ModelRunner *runner, Session *session, Fault *fault);

/* How many tokens still fit into its batch of this step. */
size_t runner_room(const ModelRunner *runner);
void runner_push(ModelRunner *runner, size_t id, int32_t token, size_t position, bool wanted);

/* Run a runner's batch through its model. */
bool engine_forward(Engine *engine, size_t runner, Fault *fault);

/* ------------------------------------------------------------------ memory (pages.c) */

/* Start the batches of a step: nothing is queued, no page promised. */
void pages_begin(Engine *engine);

/* Put the text into the batch, with pages for this many more tokens of each slot; others may be
 * preempted.  False: it has to wait, or has failed because it can never fit.
 *
 *   tokens   (n_slots) */
bool pages_promise(Engine *engine, Sequence *sequence, const size_t *tokens);

/* Preempt a lower-ranked sequence that has pages of this runner.  False: there is none. */
bool pages_take(Engine *engine, const Sequence *sequence, size_t runner);

#endif
