/* talk.h - what strata chat keeps open: a model, a conversation, and what of it the model
 * has read.
 *
 *     a line ──▶ an order (/undo ...) ──▶ the turns change
 *            └─▶ a user's turn ──▶ all turns as tokens ──▶ engine ──▶ the reply's turn
 *                    ▲                                                     │ a call of a tool
 *                    └──── its result, a turn too: typed, or a command's ◀─┘
 *
 * Each reply is a new sequence of the engine, added before the last one goes: what both
 * begin with is not read again, so of a conversation that grows only the new turn is.
 *
 * Invariant: turns alternate (after a system's) and end with an assistant's, or there are
 * none; a tool's stands in a user's place, and there alone where the turn before it calls. */
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

/* The options. */
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
    Json *read;           /* owns: the same, parsed */
    Shown *shown;         /* owns: images, for the PICTURE_BYTEs in the content; NULL: none */
} Turn;

/* Cost of the last reply. */
typedef struct ReplyStats {
    size_t prompt, kept, generated,
        gone;              /* tokens: of the prompt, cached ones, of the reply, dropped ones */
    double first, seconds; /* until the first token; for the others */
    StopReason reason;
} ReplyStats;

typedef struct Talk {
    const ChatRequest *request;
    LoadedModel loaded;
    Pictures pictures;
    Shown next;      /* images of the next message; of is NULL without a vision encoder */
    Json *tools;     /* owns: an array; NULL: none */
    TokenList marks; /* special tokens that are kept in answers: the marks of calls */
    Chain chain;     /* for all answers */
    Chain must_call; /* for answers that must call, if requested */
    ChatForm form;
    Engine engine;
    Sequence *sequence;  /* of the last reply, kept for its KV cache; NULL: none */
    TokenList tokens[2]; /* of the last reply, and of the next */
    Turn *turns;         /* (room) own */
    size_t count, room;
    Full full;
    Think think;
    uint64_t seed; /* of the next reply */
    ReplyStats stats;
    bool terminal;  /* input comes from a terminal */
    Editor *editor; /* owns: line editing; NULL: none */
    bool over;
} Talk;

/* Set by Ctrl-C; reset by the code that acts on it. */
extern volatile sig_atomic_t talk_interrupted;

/* Add a turn.
 *
 *   call   the turn's call, as JSON; no data: none
 *
 * Fails without memory, and if the call is malformed. */
bool talk_add(Talk *talk, const char *role, Text content, Text call, Fault *fault);
void talk_drop(Talk *talk, size_t from, size_t count);

/* The last turn has these images, and holds them. */
bool talk_show(Talk *talk, const Shown *shown, Fault *fault);

/* Add an image to the next message.  A slot that changes its image invalidates the cached
 * prefix. */
bool talk_add_picture(Talk *talk, const char *path, Fault *fault);

/* A user's turn with images; its text has their marks, or they come first. */
bool talk_say(Talk *talk, Text text, const Shown *shown, Fault *fault);
bool talk_set_system(Talk *talk, Text text, Fault *fault); /* "": none */
size_t talk_first(const Talk *talk); /* the first turn after the system message */
size_t talk_asked(const Talk *talk); /* the last user's turn; all turns if there is none */

/* The call of turn `i`; NULL: none. */
const JsonValue *talk_call(const Talk *talk, size_t i);

/* An id of turn i's call, for templates that want one; it does not depend on dropped turns. */
enum { CALL_ID = 24 };
void talk_call_id(size_t i, char id[CALL_ID]);

/* Is turn i a tool's result, for the call of the turn before? */
bool talk_answers(const Talk *talk, size_t i);

/* Is the last turn a call without its result? */
bool talk_waits(const Talk *talk);

/* The first `count` turns as tokens, with the opening of the answer or without.
 *
 * Fails when the template refuses them. */
bool talk_encode(const Talk *talk, size_t count, bool open, TokenList *tokens, Fault *fault);

/* Set the sampler chain; tools become a stage before it.  On failure nothing changes. */
bool talk_choose_chain(Talk *talk, const char *spec, Fault *fault);

/* As JSON, {"messages": [...]}, which strata template also reads. */
bool talk_save(const Talk *talk, const char *path, Fault *fault);
bool talk_load(Talk *talk, const char *path, Fault *fault);

/* Answer the last turn, a user's or a tool's, printing as the text comes; the answer becomes a
 * turn.  With a command its calls are run and answered, too.
 *
 * Fails, and drops the last turn and all after it, when the template refuses, the context is
 * full or the command fails. */
bool talk_reply(Talk *talk, Fault *fault);

/* Has the context room for a word and an answer; with --full shift, can answers go on when
 * it is full? */
bool talk_check_full(Talk *talk, Fault *fault);

/* tools.c: read the file of --tools. */
bool talk_open_tools(Talk *talk, Fault *fault);

/* tools.c: where the call of a reply begins; its size when there is none.
 *
 *   call   written: its JSON, (call_size) bytes, to be freed; NULL when there is none */
size_t talk_find_call(const Talk *talk, Text reply, char **call, size_t *call_size);

/* command.c: run a program with a call as its standard input; what it prints is the result
 * (free it).
 *
 * NULL when it cannot be run, fails, is ended, or prints more than RESULT_BYTES or a zero
 * byte. */
char *tool_command_run(const char *program, Text call, size_t *size, Fault *fault);

/* /undo and the like.  Fails with what is wrong; the talk goes on. */
bool talk_order(Talk *talk, Text line, Fault *fault);

/* A line of input without its end, (*size) bytes, or NULL when there are no more; the caller
 * frees it. */
char *talk_line(const Talk *talk, size_t *size);

#endif
