/* engine.h - many texts, one batch: each step reads what every sequence has not read yet.
 *
 *     sequence 0   "Once upon a"  + 1 token           |
 *     sequence 1   a long prompt: + a piece of it   |  one batch for each model,
 *     sequence 2   another one: + a piece of it     |  one forward pass
 *     sequence 3   "The fox"  + 1 token             |
 *
 *     Engine engine;
 *     engine_open(&engine, &session, &fault);
 *     Sequence *s = engine_add(&engine, &tokens, &options, &fault);
 *     while (s->live && engine_step(&engine, &fault)) ...    s->tokens, s->choice, s->result
 *     engine_close(&engine);
 *
 * Generated tokens come first, then pieces of prompts, PREFILL_BATCH tokens in all.
 *
 * Invariant: a sequence's tokens do not depend on which others share its batches: its logits
 * are the same to the bit [neighbours_change_nothing]. */
#ifndef STRATA_ENGINE_H
#define STRATA_ENGINE_H

#include "sequence.h"

enum { ENGINE_MODELS = 3 }; /* max models: the one that generates, and those of extras */

/* One model and its batch of a step. */
typedef struct ModelRunner {
    Session *session;                     /* borrows */
    int32_t *token, *sequence, *position; /* (max_tokens) */
    bool *wanted;                         /* (max_tokens) */
    float *input; /* (max_tokens, dim) side inputs of an extra, one row per token; or NULL */
    bool *used;   /* (sequences) of the session: in use */
    size_t count, rows;
    size_t pages; /* KV pages reserved for this step's tokens */
    Arena arena;  /* owns all of the above but the input */
} ModelRunner;

struct Engine {
    ModelRunner runners[ENGINE_MODELS]; /* the first one generates */
    size_t n_runners;
    Sequence *sequences;        /* (room); owns */
    Sequence **taking;          /* (room) texts that choose a token in this step */
    size_t room, live;          /* live: texts that are not over */
    size_t turn;                /* which text is planned first */
    size_t joined, preemptions; /* counts */
    Candidates *candidates;     /* (threads) */
    Arena *arenas;              /* (threads) own their memory */
    size_t threads;
    EngineHooks hooks; /* of an extra */
    /* runs what chooses a text's token; false: that text has failed (extras: fault_try).  NULL:
     * called as it is */
    bool (*guard)(void (*run)(void *context), void *context, Fault *fault);
};

/* An engine for as many texts as the session has sequences, which are cleared.
 *
 * Fails when memory runs out; call engine_close even then. */
bool engine_open(Engine *engine, Session *session, Fault *fault);

/* The same for `room` texts; at most as many as the session has sequences may run unpaused. */
bool engine_open_room(Engine *engine, Session *session, size_t room, Fault *fault);
void engine_close(Engine *engine);

/* Add a text.  A prefix that it shares with another text of the engine, or with one that the
 * session keeps (prefix.h), is not evaluated again if the salts are the same.
 *
 *   tokens    the prompt; generated tokens are appended
 *   options   copied
 *
 * Fails when the prompt is empty or longer than the context, options are incompatible, or all
 * sequences are in use. */
Sequence *engine_add(Engine *engine, TokenList *tokens, const GenerateOptions *options,
                     Fault *fault);

/* Would engine_add find enough sequences for a text with these options? */
bool engine_has_room(const Engine *engine, const GenerateOptions *options);

/* Pause a text: it gives up its pages and sequences.  Once engine_has_room again, clear
 * `paused`: the text is re-evaluated to the same bits and continues [others_change_nothing]. */
void engine_pause(Engine *engine, Sequence *sequence);

/* Remove a text, finished or not. */
void engine_remove(Engine *engine, Sequence *sequence);

/* One step of every live sequence for which there is memory.  If there is not enough for all,
 * those that joined last are preempted and later re-evaluated: their tokens are the same.  A
 * sequence that cannot continue, or does not fit even alone, fails with its own fault; the
 * others are not affected.
 *
 * Fails when a token that was appended from outside is not in the vocabulary, or when the first
 * session's forward pass was cancelled (decoder.h): nothing has changed then, and the next step
 * may try again. */
bool engine_step(Engine *engine, Fault *fault);

#endif
