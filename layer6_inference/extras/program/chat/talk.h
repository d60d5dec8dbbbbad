/* talk.h - what strata chat keeps open: a model, a conversation, and what of it the model has read.
 *
 *     a line ──▶ an order (/undo ...) ──▶ the turns change
 *            └─▶ a user's turn ──▶ all turns as tokens ──▶ engine ──▶ the reply's turn
 *                    ▲                                                     │ a call of a tool
 *                    └──── its result, a turn too: typed, or a command's ◀─┘
 *
 * Each reply is a new sequence of the engine, added before the last one goes: what both begin with is not read
 * again, so of a conversation that grows only the new turn is.
 *
 * Invariant: turns alternate (after a system's) and end with an assistant's, or there are none; a tool's stands
 * in a user's place, and there alone where the turn before it calls. */
#ifndef STRATA_TALK_H
#define STRATA_TALK_H

#include "compute.h"
#include "editor.h"
#include "loaded_model.h"
#include "chat.h"
#include "json.h"

#include <signal.h>

typedef enum Full { FULL_SHIFT, FULL_FORGET, FULL_STOP } Full;
typedef enum Think { THINK_SHOW, THINK_HIDE, THINK_OFF } Think;

/* The options, as they were given. */
typedef struct ChatRequest {
    const char *model, *chain, *form, *system, *full, *think, *load, *history;
    const char *tools, *tool_choice, *tool_command; /* NULL: none */
    long max_tokens, ctx;
    uint64_t seed;
    bool quiet;
    VisionOptions vision;
    OptionList images;
    ComputeOptions compute;
} ChatRequest;

/* An assistant's turn may end in a call: {"name": ..., "arguments": {...}}. */
typedef struct Turn {
    char *role, *content; /* own */
    char *call;           /* owns: its text; NULL: none */
    Json *read;           /* owns: the same as a value */
    Shown *shown; /* owns: pictures, for which the content has PICTURE_BYTEs; NULL: none */
} Turn;

/* What the last reply cost. */
typedef struct ReplyStats {
    size_t prompt, kept, generated,
        gone; /* tokens: of all turns, of these not read again, of the reply, cut out meanwhile */
    double first, seconds; /* until the first token; for the others */
    StopReason reason;
} ReplyStats;

typedef struct Talk {
    const ChatRequest *request;
    LoadedModel loaded;
    Pictures pictures;
    Shown next;      /* what the next message shows; of is NULL: there is no eye */
    Json *tools;     /* owns: an array; NULL: none */
    TokenList marks; /* special tokens that are seen in an answer: those of calls */
    Chain chain;     /* of all answers */
    Chain must_call; /* of answers that have to call, where that is asked for */
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
    bool terminal;  /* somebody types */
    Editor *editor; /* owns: of what is typed; NULL: as the terminal gives it */
    bool over;
} Talk;

/* Set by Ctrl-C; who acts on it sets it back. */
extern volatile sig_atomic_t talk_interrupted;

/* On failure, too, the talk must be closed. */
bool talk_open(Talk *talk, const ChatRequest *request, Fault *fault);
void talk_close(Talk *talk);

/* The turns.
 *
 *   call   what the turn calls, as JSON; no data: nothing
 *
 * Fails when memory is short, and when the call is none. */
bool talk_add(Talk *talk, const char *role, Text content, Text call, Fault *fault);
void talk_drop(Talk *talk, size_t from, size_t count);

/* The last turn shows these pictures, which it holds, too. */
bool talk_show(Talk *talk, const Shown *shown, Fault *fault);

/* Let the next message show a picture.  Where another one had its tokens the conversation is read again. */
bool talk_add_picture(Talk *talk, const char *path, Fault *fault);

/* A user's turn that shows pictures; its text has their marks, or they come before it. */
bool talk_say(Talk *talk, Text text, const Shown *shown, Fault *fault);
bool talk_set_system(Talk *talk, Text text, Fault *fault); /* "": none */
size_t talk_first(const Talk *talk); /* the first turn after the system's */
size_t talk_asked(const Talk *talk); /* the last turn of a user, all turns when there is none */

/* What turn `i` calls; NULL: nothing. */
const JsonValue *talk_call(const Talk *talk, size_t i);

/* The name of turn i's call for a template that wants one: what was forgotten before it changes it. */
enum { CALL_ID = 24 };
void talk_call_id(size_t i, char id[CALL_ID]);

/* Is turn i a tool's, which answers the call of the one before? */
bool talk_answers(const Talk *talk, size_t i);

/* Is the last turn a call that waits for its result? */
bool talk_waits(const Talk *talk);

/* The first `count` turns as what the model reads, with the opening of the answer or without.
 *
 * Fails, with its words, when the template refuses them. */
bool talk_encode(const Talk *talk, size_t count, bool open, TokenList *tokens, Fault *fault);

/* Choose the samplers; tools are a stage before them.  On failure the old ones stay. */
bool talk_choose_chain(Talk *talk, const char *spec, Fault *fault);

/* As JSON, {"messages": [...]}: what strata template reads, too. */
bool talk_save(const Talk *talk, const char *path, Fault *fault);
bool talk_load(Talk *talk, const char *path, Fault *fault);

/* Answer the last turn, a user's or a tool's, and show the answer as it comes; it becomes a turn.  What it
 * calls is run, and answered again, where there is a command for that.
 *
 * Fails, and drops that turn and all behind it, when the template refuses, the context is full or the
 * command fails. */
bool talk_reply(Talk *talk, Fault *fault);

/* Has the context room for a word and an answer; with --full shift, can answers go on when it is full? */
bool talk_check_full(Talk *talk, Fault *fault);

/* tools.c: read the file of --tools. */
bool talk_open_tools(Talk *talk, Fault *fault);

/* tools.c: where the call of a reply begins; its size when there is none.
 *
 *   call   written: its JSON, (call_size) bytes, to be freed; NULL when there is none */
size_t talk_find_call(const Talk *talk, Text reply, char **call, size_t *call_size);

/* command.c: run a program with a call as its standard input; what it prints is the result (free it).
 *
 * NULL when it cannot be run, fails, is ended, or prints more than RESULT_BYTES or a zero byte. */
char *tool_command_run(const char *program, Text call, size_t *size, Fault *fault);

/* /undo and the like.  Fails with what is wrong; the talk goes on. */
bool talk_order(Talk *talk, Text line, Fault *fault);

/* A line of input without its end, (*size) bytes, or NULL when there are no more; the caller frees it. */
char *talk_line(const Talk *talk, size_t *size);

#endif
