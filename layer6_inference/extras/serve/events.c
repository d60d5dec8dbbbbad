/* events.c - see events.h. */
#include "events.h"

#include "answers.h"
#include "service/sse.h"
#include "chat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How much of an answer has been sent. */
typedef struct Told {
    ToolPlace text;
    size_t notes, calls;
    bool begun, over;
} Told;

struct Events {
    TextJob text;
    Told *reported; /* (answers) */
    char *waiting;  /* (size) `sent` bytes of it are gone; owns */
    size_t size, sent;
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
    free(e->reported), free(e->waiting), free(e);
}

/* ------------------------------------------------------------------ one event at a time */

typedef void WriteJson(FILE *out, const Events *e, const Answer *a, const Piece *piece);

static void events_put(FILE *out, const Events *e, const Answer *a, const Piece *piece,
                       WriteJson *write) {
    char *line = NULL;
    size_t size;
    FILE *memory = open_memstream(&line, &size);
    if (!memory) return;
    write(memory, e, a, piece);
    fclose(memory);
    sse_event(out, (Text){line, size});
    free(line);
}

static void events_write_piece(FILE *out, const Events *e, const Answer *a,
                               const Piece *piece) {
    chunk_write(out, &e->text, a, piece);
}

static void events_write_usage(FILE *out, const Events *e, const Answer *a,
                               const Piece *piece) {
    (void)a, (void)piece;
    chunk_write_usage(out, &e->text);
}

static void put_failure(FILE *out, const Events *e, const Answer *a) {
    char *line = NULL;
    size_t size;
    HttpError error;
    FILE *memory = open_memstream(&line, &size);
    if (!memory) return;
    answer_refuse(&e->text, a, &error);
    http_error_write(&error, memory);
    fclose(memory);
    sse_event(out, (Text){line, size});
    free(line);
}

/* New text and new notes; each tool call as a whole. */
static void events_put_text(FILE *out, Events *e, const Answer *a, Told *reported) {
    const Text all = {a->shown ? a->text.data : "", a->shown};
    const size_t notes = notes_ready(a);
    Piece piece = {.note = reported->notes, .note_end = notes};
    ToolPart part;
    if (!e->text.calls) {
        piece.text = (Text){all.data + reported->text.at, all.size - reported->text.at};
        reported->text.at = all.size;
    }
    const ChatCalls form = e->text.server->form.calls;
    while (e->text.calls && tools_next(form, all, a->over, &reported->text, &part)) {
        Piece one = {.call_index = reported->calls, .call = part.call ? &part : NULL};
        if (!part.call) one.text = part.text;
        reported->calls += part.call;
        events_put(out, e, a, &one, events_write_piece);
    }
    if (piece.text.size || piece.note_end > piece.note)
        events_put(out, e, a, &piece, events_write_piece);
    reported->notes = notes;
}

/* The new part of an answer.  False: it failed. */
static bool put_news(FILE *out, Events *e, size_t i) {
    const Answer *a = &e->text.job->answers[i];
    Told *reported = &e->reported[i];
    const Piece first = {.begins = true};
    if (reported->over) return true;
    if (!reported->begun) events_put(out, e, a, &first, events_write_piece);
    reported->begun = true;
    events_put_text(out, e, a, reported);
    if (!a->over) return true;
    if (!finish_reason(a)) return put_failure(out, e, a), false;
    const Piece last = {.ends = true, .called = reported->calls > 0};
    events_put(out, e, a, &last, events_write_piece);
    return reported->over = true;
}

static bool all_over(const Events *e) {
    for (size_t i = 0; i < e->text.job->n; i++)
        if (!e->reported[i].over) return false;
    return true;
}

/* All new events as one text.  The job's lock is held. */
static void events_collect(Events *e) {
    bool ok = true;
    free(e->waiting);
    e->waiting = NULL, e->size = e->sent = 0;
    FILE *out = open_memstream(&e->waiting, &e->size);
    if (!out) {
        e->over = true;
        return;
    }
    for (size_t i = 0; ok && i < e->text.job->n; i++) ok = put_news(out, e, i);
    if (ok && all_over(e)) {
        if (e->text.usage) events_put(out, e, NULL, NULL, events_write_usage);
        sse_event(out, text_of("[DONE]"));
        e->over = true;
    }
    if (!ok) e->over = true;
    if (clock_seconds() - e->last > e->ping && ftell(out) == 0) sse_ping(out);
    fclose(out);
}

size_t events_read(Events *e, char *out, size_t room, double seconds, bool *over) {
    Job *job = e->text.job;
    if (e->sent == e->size && !e->over) {
        pthread_mutex_lock(&job->lock);
        events_collect(e);
        if (e->size == 0) {
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
