/* reply.c - one reply: tokenize all turns, evaluate the new tokens, print the answer; handle
 * a full context.  See talk.h. */
#include "talk.h"
#include "thought.h"
#include "calls/tools.h"
#include "calls/write.h"
#include "json.h"
#include "long_text.h"
#include "look_ahead.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 16 }; /* calls of the command per question */

volatile sig_atomic_t talk_interrupted;

/* A reply in the making: what was printed, and the whole text for the turn. */
typedef struct Reply {
    Talk *talk;
    Thought thought;
    char *text; /* owns */
    size_t size, room;
    ToolPlace shown;
    bool lost; /* there was no memory for some of it */
} Reply;

/* Print new text; a call is printed only when it is complete. */
static void reply_show_text(Reply *reply, bool whole) {
    Text all = {reply->text, reply->size};
    ToolPlace *shown = &reply->shown;
    ToolPart part = {.text = {all.data + shown->at, all.size - shown->at}};
    if (!reply->talk->tools) {
        thought_push(&reply->thought, part.text);
        shown->at = all.size;
        return;
    }
    while (tools_next(reply->talk->form.calls, all, whole, shown, &part))
        if (!part.call || part.cut) thought_push(&reply->thought, part.written);
}

static void reply_take_text(void *context, Text text) {
    Reply *reply = context;
    if (!GROW(reply->text, reply->room, reply->size + text.size)) {
        reply->lost = true, talk_interrupted = 1;
        return;
    }
    memcpy(reply->text + reply->size, text.data, text.size);
    reply->size += text.size;
    reply_show_text(reply, false);
}

static bool reply_on_choice(void *context, const Choice *choice) {
    Session *session = context;
    (void)choice;
    session->is_wanted = NULL;
    return !talk_interrupted;
}

static bool reply_on_read(void *context, size_t read, size_t total) {
    Session *session = context;
    if (read == total) session->is_wanted = NULL;
    return !talk_interrupted;
}

/* A Session's is_wanted while the prompt is evaluated: a long turn may be interrupted
 * between two layers. */
static bool reply_is_wanted(void *context) {
    (void)context;
    return !talk_interrupted;
}

/* ------------------------------------------------------------------ tokens */

/* A list of tokens that the engine does not hold. */
static TokenList *free_list(Talk *talk) {
    return &talk->tokens[talk->sequence && talk->sequence->tokens == &talk->tokens[0]];
}

/* Tokens to reserve for a reply. */
static size_t wanted_room(const Talk *talk) {
    return session_ctx(&talk->loaded.session) / 8 + 1;
}

static bool reply_fits(const Talk *talk, const TokenList *tokens) {
    return tokens->count + wanted_room(talk) <= session_ctx(&talk->loaded.session);
}

/* The turns of the oldest question, up to the next one. */
static size_t oldest(const Talk *talk, size_t first) {
    size_t end = first + 1;
    while (end < talk->count && strcmp(talk->turns[end].role, "user") != 0) end++;
    return end - first;
}

/* Drop the oldest questions and answers until the rest fits. */
static bool forget_turns(Talk *talk, TokenList *tokens, Fault *fault) {
    size_t first = talk_first(talk), gone = 0;
    while (!reply_fits(talk, tokens) && talk_asked(talk) > first) {
        size_t count = oldest(talk, first);
        talk_drop(talk, first, count);
        gone += count;
        if (!talk_encode(talk, talk->count, true, tokens, fault)) return false;
    }
    if (gone) fprintf(stderr, "[the context was full: dropped the oldest %zu turns]\n", gone);
    return true;
}

/* Tokens to keep at the start when others are dropped: the system message, or the
 * begin-of-sequence token. */
static bool count_kept(const Talk *talk, const TokenList *tokens, size_t *keep, Fault *fault) {
    TokenList head = {0};
    size_t most = session_ctx(&talk->loaded.session) / 4;
    bool ok = !talk_first(talk) || talk_encode(talk, 1, false, &head, fault);
    for (*keep = 0; ok && *keep < head.count && *keep < most; ++*keep)
        if (head.ids[*keep] != tokens->ids[*keep]) break;
    token_list_free(&head);
    return ok;
}

/* Room for the system message, a word and an answer.  A template that refuses the word will
 * say so later. */
static bool check_room(Talk *talk, Fault *fault) {
    TokenList *tokens = free_list(talk);
    Fault ignored;
    if (!talk_add(talk, "user", text_of("hi"), (Text){0}, fault)) return false;
    bool told = talk_encode(talk, talk->count, true, tokens, &ignored);
    talk_drop(talk, talk->count - 1, 1);
    return !told || reply_fits(talk, tokens) ||
           fault_set(
               fault,
               "the context holds %zu tokens, and what comes before a first word, with it, are "
               "%zu, and an answer wants %zu: give a shorter --system, or a larger --ctx",
               session_ctx(&talk->loaded.session), tokens->count, wanted_room(talk));
}

bool talk_check_full(Talk *talk, Fault *fault) {
    TokenList *tokens = free_list(talk);
    GenerateOptions options = {.chain = &talk->chain};
    size_t keep;
    if (talk->full != FULL_SHIFT)
        return talk->count > talk_first(talk) || check_room(talk, fault);
    bool ok = (!talk_first(talk) || talk_encode(talk, 1, false, tokens, fault)) &&
              count_kept(talk, tokens, &keep, fault);
    if (ok) with_long_text(&options, keep);
    ok = ok && long_text_check(&talk->loaded.session, &options, fault);
    return ok || fault_prefix(fault, "--full shift");
}

static bool reply_make_room(Talk *talk, TokenList *tokens, Fault *fault) {
    size_t ctx = session_ctx(&talk->loaded.session);
    if (talk->full == FULL_SHIFT || reply_fits(talk, tokens)) return true;
    if (talk->full == FULL_FORGET && !forget_turns(talk, tokens, fault)) return false;
    return reply_fits(talk, tokens) ||
           fault_set(fault,
                     "the context is full: the turns have %zu tokens, it holds %zu and an "
                     "answer wants %zu; /undo, /reset, or begin with a larger --ctx",
                     tokens->count, ctx, wanted_room(talk));
}

/* ------------------------------------------------------------------ the engine */

/* Evaluate the new tokens and generate the answer. */
static bool run_sequence(Talk *talk, TokenList *tokens, Stream *stream, size_t max_tokens,
                         Fault *fault) {
    Session *session = &talk->loaded.session;
    bool user = talk_asked(talk) + 1 == talk->count;
    GenerateOptions options = {.chain = user && talk->must_call.count ? &talk->must_call
                                                                      : &talk->chain,
                               .seed = talk->seed,
                               .limits = {.max_tokens = max_tokens},
                               .stream = stream,
                               .shown = &talk->marks,
                               .on_read = reply_on_read,
                               .on_choice = reply_on_choice,
                               .context = session};
    size_t keep = 0;
    if (talk->full == FULL_SHIFT) {
        if (!count_kept(talk, tokens, &keep, fault)) return false;
        with_long_text(&options, keep);
    }
    with_look_ahead(&options);
    Sequence *s = engine_add(&talk->engine, tokens, &options, fault);
    if (!s) return false;
    if (talk->sequence) engine_remove(&talk->engine, talk->sequence);
    talk->sequence = s;
    talk->stats.prompt = tokens->count;
    talk->stats.kept = s->cached;
    bool ok = true;
    size_t gone = s->slot[TEXT_SLOT].dropped;
    session->is_wanted = reply_is_wanted;
    while (ok && s->live) ok = engine_step(&talk->engine, fault);
    session->is_wanted = NULL;
    bool given_up = !ok && session->stopped;
    talk->stats.gone = s->slot[TEXT_SLOT].dropped - gone;
    if (ok && s->failed) *fault = s->fault, ok = false;
    talk->stats.generated = s->result.tokens;
    talk->stats.reason = given_up ? STOP_CALLER : s->result.reason;
    talk->stats.first = s->result.first_token_seconds;
    talk->stats.seconds = s->result.decode_seconds;
    return ok || given_up;
}

/* The template may already have opened a thought. */
static bool begins_in_thought(const Talk *talk, const TokenList *tokens) {
    char tail[256] = "";
    size_t size = 0;
    for (size_t i = tokens->count > 6 ? tokens->count - 6 : 0; i < tokens->count; i++) {
        Text piece = tokenizer_piece(talk->loaded.model->tokenizer, tokens->ids[i], true);
        if (size + piece.size < sizeof tail)
            memcpy(tail + size, piece.data, piece.size), size += piece.size;
    }
    tail[size] = 0;
    const char *open = strstr(tail, "<think>");
    return open && !strstr(open, "</think>");
}

static bool generate_reply(Talk *talk, Reply *reply, TokenList *tokens, Fault *fault) {
    size_t most = talk->request->max_tokens < 0 ? SIZE_MAX : (size_t)talk->request->max_tokens;
    Stream stream;
    stream_open(&stream, NULL, reply_take_text, reply);
    if (begins_in_thought(talk, tokens)) thought_push(&reply->thought, text_of("<think>"));
    bool ok = run_sequence(talk, tokens, &stream, most, fault);
    stream_close(&stream);
    if (reply->lost)
        return fault_set(fault, "no memory for an answer of %zu bytes", reply->size);
    return ok;
}

static void say_why(const Talk *talk) {
    if (talk->stats.gone)
        fprintf(stderr,
                "\n[the context was full: %zu tokens more of the oldest are cut out of it]\n",
                talk->stats.gone);
    if (talk->stats.reason == STOP_CALLER) fprintf(stderr, "[stopped]\n");
    if (talk->stats.reason == STOP_LIMIT)
        fprintf(stderr, "[the answer was cut after %zu tokens: -n]\n", talk->stats.generated);
    if (talk->stats.reason == STOP_CONTEXT)
        fprintf(stderr, "[the answer was cut: the context is full]\n");
}

/* Split the text into the turn's content and its call. */
static bool keep_reply(Talk *talk, const Reply *reply, Fault *fault) {
    Text all = {reply->text ? reply->text : "", reply->size};
    char *call = NULL;
    size_t call_size = 0, size = talk_find_call(talk, all, &call, &call_size);
    bool ok =
        talk_add(talk, "assistant", (Text){all.data, size}, (Text){call, call_size}, fault);
    free(call);
    return ok;
}

static void show_call(const Talk *talk) {
    const JsonValue *call = talk_call(talk, talk->count - 1);
    Text name = json_get(call, "name")->text;
    printf("%s[call] %.*s ", talk->terminal ? "\033[36m" : "", (int)name.size, name.data);
    write_value(stdout, json_get(call, "arguments"));
    printf("%s\n", talk->terminal ? "\033[0m" : "");
    fflush(stdout);
}

/* One answer to the last turn. */
static bool one_reply(Talk *talk, Fault *fault) {
    Reply reply = {.talk = talk,
                   .thought = {.shows = talk->think == THINK_SHOW, .colours = talk->terminal}};
    TokenList *tokens = free_list(talk);
    talk->stats = (ReplyStats){0};
    talk_interrupted = 0;
    bool ok = talk_encode(talk, talk->count, true, tokens, fault) &&
              reply_make_room(talk, tokens, fault) &&
              generate_reply(talk, &reply, tokens, fault) && keep_reply(talk, &reply, fault);
    if (ok) {
        const Turn *turn = &talk->turns[talk->count - 1];
        reply_show_text(&reply, true);
        if (!turn->call || turn->content[0]) thought_finish(&reply.thought);
        if (turn->call) show_call(talk);
        say_why(talk), talk->seed++;
    }
    talk_interrupted = 0;
    free(reply.text);
    return ok;
}

/* Run the command for the last turn's call. */
static bool add_result(Talk *talk, Fault *fault) {
    size_t size;
    char *result = tool_command_run(talk->request->tool_command,
                                    text_of(talk->turns[talk->count - 1].call), &size, fault);
    bool ok = result && talk_add(talk, "tool", (Text){result, size}, (Text){0}, fault);
    if (ok)
        printf("%s[result] %.*s%s\n", talk->terminal ? "\033[36m" : "", (int)size, result,
               talk->terminal ? "\033[0m" : "");
    free(result);
    return ok;
}

bool talk_reply(Talk *talk, Fault *fault) {
    if (!one_reply(talk, fault)) return talk_drop(talk, talk->count - 1, 1), false;
    bool ok = true;
    for (int calls = 0; ok && talk->request->tool_command && talk_waits(talk); calls++)
        ok = (calls < MOST_CALLS ||
              fault_set(fault, "%d calls, and still no answer: the question is dropped",
                        MOST_CALLS)) &&
             add_result(talk, fault) && one_reply(talk, fault);
    size_t from = talk_asked(talk);
    if (!ok) talk_drop(talk, from, talk->count - from);
    return ok;
}
