/* events.c - see events.h. */
#include "events.h"

#include "dialect.h"
#include "memory_limit.h"
#include "chat.h"
#include "thinking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How much of an answer has been sent. */
typedef struct Told {
    size_t thought; /* bytes */
    ToolPlace text; /* of the answer after it */
    size_t notes, calls;
    size_t arguments; /* bytes of the call that is being written */
    bool in_call, called;
    bool begun, over;
} Told;

struct Events {
    TextJob text;
    Told *reported; /* (answers) */
    char *waiting;  /* (size) `sent` bytes of it are gone; owns */
    size_t size, sent;
    size_t held; /* bytes of it, by memory_limit.h */
    double last; /* time of the last send */
    double ping; /* seconds of silence before a keep-alive */
    bool over;
};

Events *events_open(TextJob *text) {
    Events *e = calloc(1, sizeof *e);
    if (!e || !(e->reported = calloc(text->job->n, sizeof *e->reported))) return free(e), NULL;
    e->text = *text, e->last = clock_seconds();
    e->ping = fmin(15, text->server->options->patience / 2);
    *text = (TextJob){0};
    return e;
}

void events_close(Events *e) {
    atomic_store(&e->text.job->gone, true);
    text_job_close(&e->text);
    memory_limit_give(e->held);
    free(e->reported), free(e->waiting), free(e);
}

bool events_are_made(void *context) {
    Job *job = ((Events *)context)->text.job;
    pthread_mutex_lock(&job->lock);
    const bool made = job->left == 0;
    pthread_mutex_unlock(&job->lock);
    return made;
}

void events_usage(Events *e, Usage *usage) {
    pthread_mutex_lock(&e->text.job->lock);
    text_job_usage(&e->text, usage);
    pthread_mutex_unlock(&e->text.job->lock);
}

/* ------------------------------------------------------------------ one event at a time */

static void events_put(FILE *out, Events *e, const Answer *a, const Piece *piece) {
    e->text.dialect->piece(out, &e->text, a, piece);
}

static void put_failure(FILE *out, const Events *e, const Answer *a) {
    HttpError error = {0};
    answer_refuse(&e->text, a, &error);
    e->text.dialect->failure(out, &error);
}

/* What is new of the thought.  Returns the answer after it. */
static Text events_put_thought(FILE *out, Events *e, const Answer *a, Told *reported) {
    Text thought;
    const Text answer = thinking_answer(&e->text, a, &thought);
    const Piece piece = {
        .text = {thought.data + reported->thought, thought.size - reported->thought},
        .thought = true};
    if (piece.text.size) events_put(out, e, a, &piece);
    reported->thought = thought.size;
    return answer;
}

/* What is new of a call. */
static void events_put_call(FILE *out, Events *e, const Answer *a, Told *reported,
                            const ToolPart *call, bool ends) {
    Piece p = {.call = call, .call_index = reported->calls, .call_begins = true};
    if (!reported->in_call) events_put(out, e, a, &p);
    p.call_begins = false;
    p.text =
        (Text){call->text.data + reported->arguments, call->text.size - reported->arguments};
    if (p.text.size) events_put(out, e, a, &p);
    reported->in_call = !ends, reported->arguments = ends ? 0 : call->text.size;
    if (!ends) return;
    p.text.size = 0, p.call_ends = true;
    events_put(out, e, a, &p);
    reported->calls++, reported->called |= !call->cut;
}

/* New text and new notes; tool calls as they are written. */
static void events_put_text(FILE *out, Events *e, const Answer *a, Told *reported) {
    const Text all = events_put_thought(out, e, a, reported);
    const size_t notes = notes_ready(a);
    Piece piece = {.note = reported->notes, .note_end = notes};
    ToolPart part;
    if (!e->text.calls) {
        piece.text = (Text){all.data + reported->text.at, all.size - reported->text.at};
        reported->text.at = all.size;
    }
    const ChatCalls form = e->text.server->form.calls;
    while (e->text.calls && tools_next(form, all, a->over, &reported->text, &part)) {
        if (part.call)
            events_put_call(out, e, a, reported, &part, true);
        else
            events_put(out, e, a, &(Piece){.text = part.text});
    }
    if (e->text.calls && tools_begun(form, all, &reported->text, &part))
        events_put_call(out, e, a, reported, &part, false);
    if (piece.text.size || piece.note_end > piece.note) events_put(out, e, a, &piece);
    reported->notes = notes;
}

/* The new part of an answer.  False: it failed. */
static bool write_news(FILE *out, Events *e, size_t i) {
    const Answer *a = &e->text.job->answers[i];
    Told *reported = &e->reported[i];
    const Piece first = {.begins = true};
    if (reported->over) return true;
    if (!reported->begun) events_put(out, e, a, &first);
    reported->begun = true;
    events_put_text(out, e, a, reported);
    if (!a->over) return true;
    if (e->text.job->starved || !finish_reason(a)) return false;
    const Piece last = {.ends = true, .called = reported->called};
    events_put(out, e, a, &last);
    return reported->over = true;
}

static bool put_news(FILE *out, Events *e, size_t i) {
    if (write_news(out, e, i) && !e->text.job->starved) return true;
    put_failure(out, e, &e->text.job->answers[i]);
    return false;
}

static bool all_over(const Events *e) {
    for (size_t i = 0; i < e->text.job->n; i++)
        if (!e->reported[i].over) return false;
    return true;
}

/* The next event says so; when there is no memory even for that, it is the end. */
static void events_starve(Events *e) {
    free(e->waiting), e->waiting = NULL;
    e->size = 0, e->over = e->text.job->starved;
    e->text.job->starved = true;
}

/* Count what a client is slow to read. */
static bool events_hold(Events *e) {
    const size_t size = e->size > ANSWER_FREE ? e->size : 0;
    if (!memory_limit_take(size)) return false;
    e->held = size;
    return true;
}

/* All new events as one text.  The job's lock is held. */
static void events_collect(Events *e) {
    bool ok = true;
    free(e->waiting), memory_limit_give(e->held);
    e->waiting = NULL, e->size = e->sent = e->held = 0;
    FILE *out = open_memstream(&e->waiting, &e->size);
    if (!out) return events_starve(e);
    for (size_t i = 0; ok && i < e->text.job->n; i++) ok = put_news(out, e, i);
    if (ok && all_over(e)) {
        e->text.dialect->end(out, &e->text);
        e->over = true;
    }
    if (!ok) e->over = true;
    if (clock_seconds() - e->last > e->ping && ftell(out) == 0)
        e->text.dialect->ping(out, &e->text);
    if (!memory_close(out, &e->waiting) || !events_hold(e)) events_starve(e);
}

size_t events_read(Events *e, char *out, size_t room, double seconds, bool *over) {
    Job *job = e->text.job;
    if (e->sent == e->size && !e->over) {
        pthread_mutex_lock(&job->lock);
        events_collect(e);
        if (e->size == 0 && !e->over) {
            job_wait(job, seconds);
            events_collect(e);
        }
        pthread_mutex_unlock(&job->lock);
    }
    size_t n = min_size(room, e->size - e->sent);
    if (n) memcpy(out, e->waiting + e->sent, n), e->last = clock_seconds();
    e->sent += n;
    *over = e->over && e->sent == e->size;
    return n;
}

void events_ping(Events *e) { e->last = -INFINITY; }
