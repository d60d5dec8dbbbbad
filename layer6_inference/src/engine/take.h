/* take.h - what the files of the engine share. */
#ifndef STRATA_TAKE_H
#define STRATA_TAKE_H

#include "engine.h"

/* Begin a text: check the options, take its memory.  It must be closed also when that fails. */
bool sequence_open(Sequence *sequence, const Session *session, Fault *fault);
void sequence_close(Sequence *sequence);

/* Choose a token by the chain from a row of logits that follows all tokens so far; the row is written to.  The chain is told
 * of these tokens first: step.history and history_count, and step.position, where the new one will stand.  A healed text masks
 * what does not spell on (heal_mask), and one in which some texts must not come what may not come again (take_back_mask). */
bool sequence_choose(Sequence *sequence, Chain *chain, float *logits, int32_t *token,
                     Fault *fault);

/* Append a token, or end the text.  In this order:
 *
 *   1  note_first()
 *   2  a token that ends_before() does not let in ends the text, for the reason it gives; nothing else happens
 *   3  *choice is written (step: of the answer, from 0), the chain hears of the token (chain_accept), the token joins
 *      s->tokens, and the result counts it
 *   4  its text is asked for once (new_text), also where nobody wants it
 *   5  the first of these that holds ends the text: on_choice says false (STOP_CALLER), which is asked before the text goes
 *      out; let_out(), which hands the text on, does (STOP_STRING); the chain has come to its end (chain_ends: STOP_COMPLETE);
 *      ends_after() says so, given the answer's tokens without the prompt's, and the room that is left of s->ctx.  With
 *      options.take_back, takes_back() is asked before let_out(): where it says yes the token is gone again, and nothing else
 *      happens
 *
 * on_choice, take_back and stream may be NULL. */
void sequence_append(Sequence *sequence, int32_t token, Choice *choice);

/* Its logits are known, and whoever chooses has not done so yet. */
bool sequence_waits(const Sequence *sequence);

void sequence_fail(Sequence *sequence);

/* What a text has read so far is kept for later ones. */
void sequence_keep_prefixes(const Sequence *sequence);

/* Begin with what other texts, or kept prefixes, have in common with this one. */
void engine_share(Engine *engine, Sequence *sequence);

/* A text that was preempted, or paused, takes up where it was.  False when it has failed instead. */
bool engine_resume(Engine *engine, Sequence *sequence);

/* It gives its pages back, and keeps its place. */
void engine_preempt(Engine *engine, Sequence *sequence);

/* ------------------------------------------------------------------ what is to be read */

/* How many tokens of its text it has read, and how many of its memory's positions still are the first ones. */
size_t reader_length(const Reader *reader);
size_t reader_kept(const Sequence *sequence, const Reader *reader);

/* It forgets what its memory holds from there on. */
void reader_rewind(Reader *reader, size_t length);

bool part_open(EnginePart *part, Session *session, Fault *fault);
size_t reader_total(const Sequence *sequence, const Reader *reader);

/* Of its tokens those that an encoder reads, all at once; 0: none. */
size_t reader_source(const Sequence *sequence, const Reader *reader);
int32_t reader_token(const Sequence *sequence, const Reader *reader, size_t i);

/* How many tokens a model can take still in this step. */
size_t part_room(const EnginePart *part);
void part_push(EnginePart *part, size_t id, int32_t token, size_t position, bool wanted);

/* The batch of a part, through its model. */
bool engine_forward(Engine *engine, size_t part, Fault *fault);
float *part_row(const EnginePart *part, size_t row);

/* Fill the batch of each model (plan.c).  After begin_plan(), the texts are planned in two passes: first those that write, so that
 * no long prompt keeps them waiting, then the others; in each pass from the text at e->turn on, and around.  A text that is
 * not live, is held, or is in the batch already, is passed over.  The turn moves on by one with each step: where there is no room for
 * all, everybody is first in turn. */
void engine_plan(Engine *engine);

/* ------------------------------------------------------------------ memory (pages.c) */

/* A batch of each model begins: nothing is in it, no page is promised. */
void pages_begin(Engine *engine);

/* The text is in the batch, with pages for so many tokens more of each of its readers; others may have to
 * give theirs back.  False when it has to wait, or has failed because it can never fit.
 *
 *   tokens   (READERS) */
bool pages_promise(Engine *engine, Sequence *sequence, const size_t *tokens);

/* Another text, behind `sequence` in rank, gives its pages of a part back.  False when there is none. */
bool pages_take(Engine *engine, const Sequence *sequence, size_t part);

/* ------------------------------------------------------------------ full contexts (long_text.c) */

/* Can every session shift, where that is asked for? */
bool long_text_check(const Sequence *sequence, Fault *fault);

/* After a step of a text that may shift: a full context with more to read loses old positions.  A text that cannot, fails. */
void long_text_shift(Engine *engine, Sequence *sequence);

/* Would text t, had it read its first n tokens, hold what reader a of text s has of them now, after its last cut? */
bool reader_has_state_of(const Sequence *s, const Reader *a, const Sequence *t, size_t n);

/* ------------------------------------------------------------------ drafts (speculate.c) */

/* The draft of one text. */
struct Draft {
    bool made;         /* and waits to be checked */
    size_t count;      /* tokens in it */
    size_t text_count; /* of the text, while the draft goes on with it */
    int32_t text[SPECULATE_MAX];
    size_t vocab;
    float *q;        /* (SPECULATE_MAX, vocab) what they were drawn from; owns */
    float *p, *rest; /* (vocab) own */
    Chain chain;     /* of the draft */
    size_t followed; /* tokens that this chain knows of those generated */
    size_t accepted;
    float *hidden; /* (ctx, dim) rows of the text that a draft head reads; owns; else NULL */
};

bool draft_open(Sequence *sequence, const Session *session, Fault *fault);
void draft_close(Draft *draft);

/* Before a part's batch: a draft head gets each token with the model's row of the one before it, the first with zeros.
 * After it: the model's rows are kept for the heads. */
void draft_head_feed(Engine *engine, size_t part);
void draft_head_keep(Engine *engine, size_t part);

/* Does a draft head make its drafts? */
bool has_draft_head(const Sequence *sequence);

/* How many tokens a draft head can read: those whose h the model, or the head itself, has said. */
size_t draft_head_reach(const Sequence *sequence);

/* The head forgets what it read behind its own guesses of h, and is as if it had read the text alone. */
void draft_head_rollback(Sequence *sequence);

/* Draft tokens for every text that is ready for a draft, in batches of the draft model. */
bool engine_draft(Engine *engine, Fault *fault);

/* Take what the model accepts.
 *
 *   rows   (1 + count, vocab) logits of the last token and of each one that was drafted */
bool draft_verify(Sequence *sequence, float *rows, Fault *fault);

/* Model and draft forget what was refused. */
void draft_rollback(Sequence *sequence);

#endif
