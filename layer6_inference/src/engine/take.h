/* take.h - functions that the engine's files share, also with extras that handle several texts
 * at once. */
#ifndef STRATA_TAKE_H
#define STRATA_TAKE_H

#include "engine.h"

/* -------------------------------------------------- a text (sequence.c, sequence_take.c) */

/* Begin a text: open its extras, check its options, allocate its memory.  Close it even if this
 * fails. */
bool sequence_open(Sequence *sequence, Engine *engine, Fault *fault);
void sequence_close(Sequence *sequence);

/* End a text that cannot continue; its fault says why. */
void sequence_fail(Sequence *sequence);

/* Choose a token with the chain.  `logits` is the row for the last token; it is modified.
 * First step.history and step.position are set and extras may modify the logits
 * (ask_extras). */
bool sequence_choose(Sequence *sequence, Chain *chain, float *logits, int32_t *token,
                     Fault *fault);

/* Append a token, or end the text.  In this order:
 *
 *   1  note_first()
 *   2  a token that ends_before() rejects ends the text; nothing else happens
 *   3  s->choice is written (step: from 0, of the answer), chain_accept(), the token is
 *      appended to s->tokens and counted in the result
 *   4  on_choice returns false: STOP_CALLER
 *   5  outgoing() picks the text to output; false: the token was rolled back, nothing else
 *      happens
 *   6  the first that holds ends the text: let_out() found a stop string (STOP_STRING),
 *      chain_ends() (STOP_COMPLETE), ends_after(), given the answer's tokens without the
 *      prompt's and the room left in s->ctx
 *
 * on_choice and stream may be NULL. */
void sequence_append(Sequence *sequence, int32_t token);

/* -------------------------------------------------- what it has read (engine.c, runner.c) */

/* Tokens the slot has read, with those that were dropped from its memory since. */
size_t slot_length(const Slot *slot);

/* Tokens it has to read in all. */
size_t slot_total(const Sequence *sequence, const Slot *slot);

/* Positions of its memory before the first dropped token. */
size_t slot_kept(const Slot *slot);

/* The i-th token it has to read. */
int32_t slot_token(const Sequence *sequence, const Slot *slot, size_t i);

/* Roll its memory back to `length` tokens. */
void slot_rewind(Slot *slot, size_t length);

/* The logits of the last token it read. */
float *slot_row(const Slot *slot);

/* Keep what a text has read as a prefix for later texts. */
void sequence_keep_prefixes(const Sequence *sequence);

/* Preempt a text: free its pages, keep its tokens. */
void engine_preempt(Engine *engine, Sequence *sequence);

/* Resume a text that was preempted or paused.  False: it has failed instead. */
bool engine_resume(Engine *engine, Sequence *sequence);

/* -------------------------------------------------- a step (plan.c, runner.c) */

/* Fill the batch of each model.  After begin_plan(), make two passes over the live texts that
 * are neither paused nor in the batch: first those that are generating, so that no long prompt
 * delays them, then the rest.  Each pass starts at text e->turn (modulo e->room), which
 * advances by one per step, so that each text is first in turn. */
void engine_plan(Engine *engine);

/* Allocate the batch of a session's model, and reset the session. */
bool runner_open(ModelRunner *runner, Session *session, Fault *fault);

/* How many tokens still fit into its batch of this step. */
size_t runner_room(const ModelRunner *runner);

/* Add a token of the session's sequence `id` to the batch; wanted: with its logits. */
void runner_push(ModelRunner *runner, size_t id, int32_t token, size_t position, bool wanted);

/* Run a runner's batch through its model. */
bool engine_forward(Engine *engine, size_t runner, Fault *fault);

/* -------------------------------------------------- memory (pages.c) */

/* Start the batches of a step: nothing is queued, no page reserved. */
void pages_begin(Engine *engine);

/* Put the text into the batch, with pages for so many more tokens in each slot; other texts may
 * be preempted.  False: it has to wait, or has failed because it can never fit.
 *
 *   tokens   (n_slots) */
bool pages_reserve(Engine *engine, Sequence *sequence, const size_t *tokens);

/* Preempt a lower-ranked sequence that has pages of this runner.  False: there is none. */
bool pages_take(Engine *engine, const Sequence *sequence, size_t runner);

#endif
