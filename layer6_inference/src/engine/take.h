/* take.h - what the files of the engine share, and extras that work with several texts at
 * once. */
#ifndef STRATA_TAKE_H
#define STRATA_TAKE_H

#include "engine.h"

/* ------------------------------------------------------------------ a text (sequence.c,
 * sequence_take.c) */

/* Begin a text: open its extras, check the options, take its memory.  It must be closed also
 * when that fails. */
bool sequence_open(Sequence *sequence, Engine *engine, Fault *fault);
void sequence_close(Sequence *sequence);
void sequence_fail(Sequence *sequence);

/* Choose a token by the chain from a row of logits that follows all tokens so far; the row is
 * written to.  The chain is told of these tokens first: step.history and history_count, and
 * step.position, where the new one will stand.  Then the text's extras may write to the logits
 * (ask_extras). */
bool sequence_choose(Sequence *sequence, Chain *chain, float *logits, int32_t *token,
                     Fault *fault);

/* Append a token, or end the text.  In this order:
 *
 *   1  note_first()
 *   2  a token that ends_before() does not let in ends the text, for the reason it gives; nothing else happens
 *   3  *choice is written (step: of the answer, from 0), the chain hears of the token (chain_accept), the token joins
 *      s->tokens, and the result counts it
 *   4  the first of these that holds ends the text: on_choice says false (STOP_CALLER), which is asked before the text goes
 *      out; let_out(), which hands the text on, does (STOP_STRING); the chain has come to its end (chain_ends: STOP_COMPLETE);
 *      ends_after() says so, given the answer's tokens without the prompt's, and the room that is left of s->ctx.
 *      outgoing() is asked for the text before let_out(): where it says false the token is gone again, and nothing else
 *      happens
 *
 * on_choice and stream may be NULL. */
void sequence_append(Sequence *sequence, int32_t token, Choice *choice);

/* ------------------------------------------------------------------ what it has read
 * (engine.c, runner.c) */

/* How many tokens of its text a slot has read, how many there are, and how many of its
 * memory's positions still are the first ones. */
size_t slot_length(const Slot *slot);
size_t slot_total(const Sequence *sequence, const Slot *slot);
size_t slot_kept(const Slot *slot);
int32_t slot_token(const Sequence *sequence, const Slot *slot, size_t i);

/* It forgets what its memory holds from there on. */
void slot_rewind(Slot *slot, size_t length);

/* The logits of the last token that it read. */
float *slot_row(const Slot *slot);

/* Keep what a text has read so far for later ones; begin with the longest prefix that others,
 * or kept ones, have in common with it. */
void sequence_keep_prefixes(const Sequence *sequence);
void engine_share(Engine *engine, Sequence *sequence);

/* A text gives its pages back, and keeps its place; one that did, or was paused, takes up where
 * it was.  False when it has failed instead. */
void engine_preempt(Engine *engine, Sequence *sequence);
bool engine_resume(Engine *engine, Sequence *sequence);

/* ------------------------------------------------------------------ a step (plan.c, runner.c) */

/* Fill the batch of each model.  After begin_plan(), the texts are planned in two passes: first
 * those that write, so that no long prompt keeps them waiting, then the others; in each pass
 * from the text at e->turn on, and around.  A text that is not live, is held, or is in the
 * batch already, is passed over.  The turn moves on by one with each step: where there is no
 * room for all, everybody is first in turn. */
void engine_plan(Engine *engine);

bool runner_open(ModelRunner *runner, Session *session, Fault *fault);

/* How many tokens a model can take still in this step. */
size_t runner_room(const ModelRunner *runner);
void runner_push(ModelRunner *runner, size_t id, int32_t token, size_t position, bool wanted);

/* The batch of a part, through its model. */
bool engine_forward(Engine *engine, size_t runner, Fault *fault);

/* ------------------------------------------------------------------ memory (pages.c) */

/* A batch of each model begins: nothing is in it, no page is promised. */
void pages_begin(Engine *engine);

/* The text is in the batch, with pages for so many tokens more of each of its slots; others
 * may have to give theirs back.  False when it has to wait, or has failed because it can never
 * fit.
 *
 *   tokens   (n_slots) */
bool pages_promise(Engine *engine, Sequence *sequence, const size_t *tokens);

/* Preempt a text behind `sequence` in rank, which has pages of this part.  False when there is
 * none. */
bool pages_take(Engine *engine, const Sequence *sequence, size_t runner);

#endif
