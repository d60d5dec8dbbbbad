/* reply.c - one reply: all turns as tokens, what is new read, the answer as it comes; and what to do when
 * the context is full.  See talk.h. */
#include "talk.h"
#include "thought.h"

#include <stdlib.h>
#include <string.h>

volatile sig_atomic_t talk_interrupted;

/* A reply on its way: what is shown, and the same text for the turn. */
typedef struct Reply {
    Talk *talk;
    Thought thought;
    char *text; /* owns */
    size_t size, room;
} Reply;

static void take_text(void *context, Text text) {
    Reply *reply = context;
    if (reply->size + text.size > reply->room) {
        size_t room = 2 * (reply->size + text.size);
        char *grown = realloc(reply->text, room);
        if (!grown) {
            talk_interrupted = 1;
            return;
        }
        reply->text = grown;
        reply->room = room;
    }
    memcpy(reply->text + reply->size, text.data, text.size);
    reply->size += text.size;
    thought_push(&reply->thought, text);
}

static bool on_choice(void *context, const Choice *choice) {
    (void)context, (void)choice;
    return !talk_interrupted;
}

static bool on_read(void *context, size_t read, size_t total) {
    (void)context, (void)read, (void)total;
    return !talk_interrupted;
}

/* ------------------------------------------------------------------ tokens */

/* The list of tokens that the engine does not hold. */
static TokenList *free_list(Talk *talk) {
    return &talk->tokens[talk->sequence && talk->sequence->tokens == &talk->tokens[0]];
}

static bool encode(const Talk *talk, size_t count, bool open, TokenList *tokens, Fault *fault) {
    ChatTurn *turns = calloc(count + 1, sizeof *turns);
    if (!turns) return fault_set(fault, "no memory for %zu turns", count);
    for (size_t i = 0; i < count; i++)
        turns[i] = (ChatTurn){text_of(talk->turns[i].role), text_of(talk->turns[i].content)};
    tokens->count = 0;
    bool ok = chat_encode(&talk->form, talk->loaded.model->tokenizer, turns, count, open,
                          talk->think != THINK_OFF, tokens, fault);
    free(turns);
    return ok;
}

/* Tokens that a reply should have room for. */
static size_t wanted_room(const Talk *talk) {
    return session_ctx(&talk->loaded.session) / 8 + 1;
}

static bool fits(const Talk *talk, const TokenList *tokens) {
    return tokens->count + wanted_room(talk) <= session_ctx(&talk->loaded.session);
}

/* The oldest question and its answer go, until the rest fits. */
static bool forget_turns(Talk *talk, TokenList *tokens, Fault *fault) {
    size_t first = talk_first(talk), gone = 0;
    while (!fits(talk, tokens) && talk->count > first + 2) {
        talk_drop(talk, first, 2);
        gone += 2;
        if (!encode(talk, talk->count, true, tokens, fault)) return false;
    }
    if (gone)
        fprintf(stderr, "[the context was full: the oldest %zu turns are forgotten]\n", gone);
    return true;
}

/* The oldest tokens behind the system's turn go, half of the context at once, wherever that cuts. */
static bool shift_tokens(const Talk *talk, TokenList *tokens, Fault *fault) {
    TokenList head = {0};
    size_t keep = 0, first = talk_first(talk), ctx = session_ctx(&talk->loaded.session);
    if (first && !encode(talk, 1, false, &head, fault)) return token_list_free(&head), false;
    while (keep < head.count && keep < ctx / 4 && head.ids[keep] == tokens->ids[keep]) keep++;
    if (!first && tokens->count) keep = 1; /* what texts begin with */
    token_list_free(&head);
    size_t after = keep + ctx / 2, gone = tokens->count > after ? tokens->count - after : 0;
    memmove(tokens->ids + keep, tokens->ids + keep + gone,
            (tokens->count - keep - gone) * sizeof *tokens->ids);
    tokens->count -= gone;
    fprintf(stderr,
            "\n[the context was full: its oldest %zu tokens are dropped, and the rest is read "
            "again]\n",
            gone);
    return true;
}

static bool make_room(Talk *talk, TokenList *tokens, Fault *fault) {
    size_t ctx = session_ctx(&talk->loaded.session);
    if (fits(talk, tokens)) return true;
    if (talk->full == FULL_SHIFT) return shift_tokens(talk, tokens, fault);
    if (talk->full == FULL_FORGET && !forget_turns(talk, tokens, fault)) return false;
    return fits(talk, tokens) || fault_set(fault,
                                           "the context is full: the turns have %zu tokens, it "
                                           "holds %zu and an answer wants %zu; "
                                           "/undo, /reset, or begin with a larger --ctx",
                                           tokens->count, ctx, wanted_room(talk));
}

/* ------------------------------------------------------------------ the engine */

/* Read what is new and go on until something says stop. */
static bool run_sequence(Talk *talk, TokenList *tokens, Stream *stream, size_t max_tokens,
                         Fault *fault) {
    GenerateOptions options = {.chain = &talk->chain,
                               .seed = talk->seed,
                               .limits = {.max_tokens = max_tokens},
                               .stream = stream,
                               .on_read = on_read,
                               .on_choice = on_choice};
    Sequence *s = engine_add(&talk->engine, tokens, &options, fault);
    if (!s) return false;
    if (talk->sequence) engine_remove(&talk->engine, talk->sequence);
    talk->sequence = s;
    talk->stats.prompt = tokens->count;
    talk->stats.kept = s->cached;
    bool ok = true;
    while (ok && s->live) ok = engine_step(&talk->engine, fault);
    if (ok && s->failed) *fault = s->fault, ok = false;
    talk->stats.generated += s->result.tokens;
    talk->stats.reason = s->result.reason;
    if (talk->stats.first == 0) talk->stats.first = s->result.first_token_seconds;
    talk->stats.seconds += s->result.decode_seconds;
    return ok;
}

/* A thought may be open before the first token: the template wrote its beginning. */
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
    stream_open(&stream, NULL, take_text, reply);
    if (begins_in_thought(talk, tokens)) thought_push(&reply->thought, text_of("<think>"));
    bool ok = run_sequence(talk, tokens, &stream, most, fault);
    while (ok && talk->stats.reason == STOP_CONTEXT && talk->full == FULL_SHIFT &&
           talk->stats.generated < most) {
        TokenList *other = free_list(talk);
        other->count = 0;
        for (size_t i = 0; i < tokens->count; i++) token_list_add(other, tokens->ids[i]);
        tokens = other;
        ok = shift_tokens(talk, tokens, fault) &&
             run_sequence(talk, tokens, &stream, most - talk->stats.generated, fault);
    }
    stream_close(&stream);
    return ok;
}

static void say_why(const Talk *talk) {
    if (talk->stats.reason == STOP_CALLER) fprintf(stderr, "[stopped]\n");
    if (talk->stats.reason == STOP_LIMIT)
        fprintf(stderr, "[the answer was cut after %zu tokens: -n]\n", talk->stats.generated);
    if (talk->stats.reason == STOP_CONTEXT)
        fprintf(stderr, "[the answer was cut: the context is full]\n");
}

bool talk_reply(Talk *talk, Fault *fault) {
    Reply reply = {.talk = talk,
                   .thought = {.shows = talk->think == THINK_SHOW, .colours = talk->terminal}};
    TokenList *tokens = free_list(talk);
    talk->stats = (ReplyStats){0};
    talk_interrupted = 0;
    bool ok = encode(talk, talk->count, true, tokens, fault) &&
              make_room(talk, tokens, fault) && generate_reply(talk, &reply, tokens, fault);
    if (ok) thought_finish(&reply.thought);
    ok = ok &&
         talk_add(talk, "assistant", (Text){reply.text ? reply.text : "", reply.size}, fault);
    if (ok)
        say_why(talk), talk->seed++;
    else
        talk_drop(talk, talk->count - 1, 1);
    talk_interrupted = 0;
    free(reply.text);
    return ok;
}
