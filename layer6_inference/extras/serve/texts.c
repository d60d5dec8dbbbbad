/* texts.c - the routes that generate: /v1/chat/completions, /v1/completions, and one token of
 * them, watched: /strata/steps. */
#include "clients.h"
#include "dialect.h"
#include "events.h"
#include "image_part.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

/* Wait until all answers are over.  False: the client disconnected. */
static bool wait_for_all(const HttpRequest *request, Job *job) {
    bool gone = false;
    pthread_mutex_lock(&job->lock);
    while (job->left && !gone) {
        job_wait(job, CLIENT_POLL);
        pthread_mutex_unlock(&job->lock);
        gone = request->is_gone(request->client);
        pthread_mutex_lock(&job->lock);
    }
    pthread_mutex_unlock(&job->lock);
    return !gone;
}

static const Answer *failed_answer(const Job *job) {
    for (size_t i = 0; i < job->n; i++)
        if (job->starved || !finish_reason(&job->answers[i])) return &job->answers[i];
    return NULL;
}

void texts_refuse(const Dialect *dialect, const HttpError *error, Reply *reply) {
    reply_error(reply, error); /* sets status and headers */
    const Reply kept = *reply;
    free(reply->body);
    FILE *out = reply_begin(reply);
    if (!out) return;
    dialect->error(out, error);
    reply_end(reply, out);
    reply->status = kept.status, reply->retry = kept.retry;
}

static void reply_answers(const TextJob *t, Reply *reply) {
    HttpError error = {0};
    pthread_mutex_lock(&t->job->lock);
    const Answer *failed = failed_answer(t->job);
    if (failed) {
        answer_refuse(t, failed, &error);
        texts_refuse(t->dialect, &error, reply);
    } else {
        FILE *out = reply_begin(reply);
        if (out && t->fields.where == IN_STEPS)
            steps_write(out, t, &t->job->answers[0]);
        else if (out)
            t->dialect->whole(out, t);
        if (out) reply_end(reply, out);
        if (t->job->starved) {
            reply_free(reply);
            answer_refuse(t, t->job->answers, &error);
            reply_error(reply, &error);
        }
    }
    text_job_usage(t, &reply->usage);
    pthread_mutex_unlock(&t->job->lock);
}

char *texts_translate(const JsonValue *root, const Server *server, const Dialect *dialect,
                      int *where, size_t *size, HttpError *error) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    bool ok = out || http_error(error, 500, NULL, "no memory for a request");
    if (out) fputc('{', out);
    if (dialect->where) *where = dialect->where(root, server);
    ok = ok && dialect->translate(root, server, out, error);
    if (out) fputc('}', out);
    if (out && !memory_close(out, &text) && ok)
        ok = http_error(error, 503, NULL, "no memory for a request");
    if (!ok) free(text);
    return ok ? text : NULL;
}

/* sent: which of the dialect's names the request has */
static void texts_answer(const HttpRequest *request, int where, const Dialect *dialect,
                         unsigned sent, Reply *reply) {
    TextJob t;
    HttpError error = {0};
    bool ok = text_job_open(&t, request, where, &error) && scores_read(&t, request, &error) &&
              image_parts_read(&t, request, &error) &&
              worker_submit(request->server, t.job, &error);
    char ignored[FIELDS_IGNORED]; /* a stream takes the job over */
    memcpy(ignored, t.fields.ignored, sizeof ignored);
    t.dialect = dialect, t.sent = sent;
    if (ok) t.held = 0; /* the worker's */
    if (!ok) {
        text_job_name_error(&t, &error);
        texts_refuse(dialect, &error, reply);
    } else if (t.stream) {
        *reply = (Reply){.status = 200, .type = dialect->stream_type};
        reply->events = events_open(&t);
        if (!reply->events) reply->status = 500, atomic_store(&t.job->gone, true);
    } else if (wait_for_all(request, t.job)) {
        reply_answers(&t, reply);
    } else {
        atomic_store(&t.job->gone, true);
        http_error(&error, 499, NULL, "the client disconnected");
        texts_refuse(dialect, &error, reply);
        pthread_mutex_lock(&t.job->lock);
        text_job_usage(&t, &reply->usage);
        pthread_mutex_unlock(&t.job->lock);
    }
    memcpy(reply->ignored, ignored, sizeof ignored);
    text_job_close(&t);
}

static void texts_handle_translated(const HttpRequest *request, int where,
                                    const Dialect *dialect, Reply *reply) {
    HttpError error = {0};
    HttpRequest translated = *request;
    Json *json = fields_parse(request->body, &error);
    char *body = NULL;
    if (json && dialect->instead && dialect->instead(json_root(json), request->server, reply)) {
        json_free(json);
        return;
    }
    if (json)
        body = texts_translate(json_root(json), request->server, dialect, &where,
                               &translated.body.size, &error);
    const unsigned sent = json ? dialect_sent(dialect, json_root(json)) : 0;
    json_free(json);
    translated.body.data = body;
    if (body)
        texts_answer(&translated, where, dialect, sent, reply);
    else
        texts_refuse(dialect, &error, reply);
    free(body);
}

void texts_handle(const HttpRequest *request, int where, const Dialect *dialect, Reply *reply) {
    HttpError error = {0};
    const Model *m = request->server->loaded.model;
    if (!model_writes(m)) {
        http_error(&error, 400, NULL, "a %s model generates no text: POST %s", m->recipe->arch,
                   model_extras(m)->text_head.labels ? "/v1/rerank" : "/v1/embeddings");
        texts_refuse(dialect, &error, reply);
    } else if (dialect->translate) {
        texts_handle_translated(request, where, dialect, reply);
    } else {
        texts_answer(request, where, dialect, 0, reply);
    }
}

void handle_chat(const HttpRequest *request, Reply *reply) {
    texts_handle(request, IN_CHAT, &dialect_openai, reply);
}

void handle_steps(const HttpRequest *request, Reply *reply) {
    texts_handle(request, IN_STEPS, &dialect_openai, reply);
}

void handle_completion(const HttpRequest *request, Reply *reply) {
    texts_handle(request, IN_COMPLETION, &dialect_openai, reply);
}
