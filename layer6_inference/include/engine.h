/* engine.h - many texts, one batch: each step reads what every sequence has not read yet.
 *
 *     sequence 0   "Once upon a"   + 1 token                         |
 *     sequence 1   a long prompt: + a piece of it                    |  one batch for each model,
 *     sequence 2   another one: + a piece of it                      |  one forward pass
 *     sequence 3   "The fox"        + 1 token                        |
 *
 *     Engine engine;
 *     engine_open(&engine, &session, &fault);
 *     Sequence *s = engine_add(&engine, &tokens, &options, &fault);
 *     while (s->live && engine_step(&engine, &fault)) ...        s->tokens, s->choice, s->result
 *     engine_close(&engine);
 *
 * Tokens that are chosen come first, then pieces of prompts, PREFILL_BATCH tokens in all.
 *
 * Invariant: a sequence's tokens do not depend on which others share its batches.  To the
 * bit. */
#ifndef STRATA_ENGINE_H
#define STRATA_ENGINE_H

#include "sequence.h"

enum { ENGINE_MODELS = 3 }; /* models: the one that generates, and those of extras */

/* The tokens that one model reads in a step. */
typedef struct ModelRunner {
    Session *session;                     /* borrows */
    int32_t *token, *sequence, *position; /* (max_tokens) */
    bool *wanted;                         /* (max_tokens) */
    float *input; /* (max_tokens, dim) rows to be read beside the tokens: an extra's; or NULL */
    bool *used;   /* (sequences) which ones texts have */
    size_t count, rows;
    size_t pages; /* of memory, promised to this step's tokens */
    Arena arena;  /* owns all of the above but the input */
} ModelRunner;

struct Engine {
    ModelRunner runners[ENGINE_MODELS]; /* the first one generates */
    size_t n_runners;
    Sequence *sequences;        /* (room); owns */
    Sequence **taking;          /* (room) those that choose a token in this step */
    size_t room, live;          /* live: how many are not over */
    size_t turn;                /* who is served first */
    size_t joined, preemptions; /* counts */
    Candidates *candidates;     /* (threads) */
    Arena *arenas;              /* (threads) own their memory */
    size_t threads;
    EngineHooks hooks; /* of an extra */
};

/* An engine for as many texts as the session has sequences; what these held is forgotten.
 *
 * Fails when memory runs out; engine_close may be called then, too. */
bool engine_open(Engine *engine, Session *session, Fault *fault);

/* The same for `room` texts, of which as many as the session has sequences are not paused. */
bool engine_open_room(Engine *engine, Session *session, size_t room, Fault *fault);
void engine_close(Engine *engine);

/* A further text.  What it has in common with the beginning of another one here, or with a
 * prefix that the session keeps (prefix.h), is not read again, where the salts are the same.
 *
 *   tokens    the prompt; generated tokens are appended
 *   options   copied
 *
 * Fails when the prompt is empty or longer than the context, the options do not go together, or
 * all sequences are in use. */
Sequence *engine_add(Engine *engine, TokenList *tokens, const GenerateOptions *options,
                     Fault *fault);

/* Would engine_add find sequences for all that such a text reads? */
bool engine_has_room(const Engine *engine, const GenerateOptions *options);

/* The text gives back its pages and its place, and is held.  When it is not any more, and there
 * is a place (engine_has_room), it reads itself again, to the same bits, and goes on. */
void engine_pause(Engine *engine, Sequence *sequence);

/* Make room for another text. */
void engine_remove(Engine *engine, Sequence *sequence);

/* One step of every live sequence for which there is memory.  When there is not enough for all,
 * those that joined last give theirs back, wait, and read their text again: their tokens are
 * the same.  A sequence that cannot go on, or that does not fit alone, has failed, with a fault
 * of its own; the others do not notice.
 *
 * Fails when a token that was appended from outside is not in the vocabulary, and when nobody
 * wants what the first session reads any more (decoder.h): nothing has changed then, and the
 * next step may be another one. */
bool engine_step(Engine *engine, Fault *fault);

#endif
