/* talk.h - what strata chat keeps open: a model, a conversation, and what of it the model has read.
 *
 *     a line ──▶ an order (/undo ...) ──▶ the turns change
 *            └─▶ a user's turn ──▶ all turns as tokens ──▶ engine ──▶ the reply's turn
 *
 * Each reply is a new sequence of the engine, added before the last one goes: what both begin with is not read
 * again, so of a conversation that grows only the new turn is.
 *
 * Invariant: turns alternate (after a system's) and end with an assistant's, or there are none. */
#ifndef STRATA_TALK_H
#define STRATA_TALK_H

#include "compute.h"
#include "loaded_model.h"

#include <signal.h>

typedef enum Full { FULL_SHIFT, FULL_FORGET, FULL_STOP } Full;
typedef enum Think { THINK_SHOW, THINK_HIDE, THINK_OFF } Think;

/* The options, as they were given. */
typedef struct ChatRequest {
    const char *model, *chain, *form, *system, *full, *think, *load;
    long max_tokens, ctx;
    uint64_t seed;
    bool quiet;
    ComputeOptions compute;
} ChatRequest;

typedef struct Turn {
    char *role, *content; /* own */
} Turn;

/* What the last reply cost. */
typedef struct ReplyStats {
    size_t prompt, kept,
        generated;         /* tokens: of all turns, of these not read again, of the reply */
    double first, seconds; /* until the first token; for the others */
    StopReason reason;
} ReplyStats;

typedef struct Talk {
    const ChatRequest *request;
    LoadedModel loaded;
    Chain chain;
    ChatForm form;
    Engine engine;
    Sequence *sequence;  /* of the last reply, kept for what it has read; NULL: none */
    TokenList tokens[2]; /* of the last reply, and of the next */
    Turn *turns;         /* (room) own */
    size_t count, room;
    Full full;
    Think think;
    uint64_t seed; /* of the next reply */
    ReplyStats stats;
    bool terminal; /* somebody types */
    bool over;
} Talk;

/* Set by Ctrl-C; who acts on it sets it back. */
extern volatile sig_atomic_t talk_interrupted;

/* On failure, too, the talk must be closed. */
bool talk_open(Talk *talk, const ChatRequest *request, Fault *fault);
void talk_close(Talk *talk);

/* The turns.  Fails when memory is short. */
bool talk_add(Talk *talk, const char *role, Text content, Fault *fault);
void talk_drop(Talk *talk, size_t from, size_t count);
bool talk_set_system(Talk *talk, Text text, Fault *fault); /* "": none */
size_t talk_first(const Talk *talk); /* the first turn after the system's */

/* As JSON, {"messages": [...]}: what strata template reads, too. */
bool talk_save(const Talk *talk, const char *path, Fault *fault);
bool talk_load(Talk *talk, const char *path, Fault *fault);

/* Answer the last turn, a user's, and show the answer as it comes; it becomes a turn.
 *
 * Fails, and drops the user's turn, when the template refuses or the context is full. */
bool talk_reply(Talk *talk, Fault *fault);

/* /undo and the like.  Fails with what is wrong; the talk goes on. */
bool talk_order(Talk *talk, Text line, Fault *fault);

/* A line of input without its end, (*size) bytes, or NULL when there are no more; the caller frees it. */
char *talk_line(const Talk *talk, size_t *size);

#endif
