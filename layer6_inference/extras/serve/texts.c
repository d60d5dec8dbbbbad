/* texts.c - the routes that generate: /v1/chat/completions, /v1/completions, and one token of
 * them, watched: /strata/steps. */
#include "answers.h"
#include "events.h"
#include "image_part.h"
#include "steps.h"

/* Wait until all answers are over.  False: the client disconnected. */
static bool wait_for_all(const HttpRequest *request, Job *job) {
    bool gone = false;
    pthread_mutex_lock(&job->lock);
    while (job->left && !gone) {
        job_wait(job, 0.05);
        pthread_mutex_unlock(&job->lock);
        gone = request->is_gone(request->client);
        pthread_mutex_lock(&job->lock);
    }
    pthread_mutex_unlock(&job->lock);
    return !gone;
}

static const Answer *failed_answer(const Job *job) {
    for (size_t i = 0; i < job->n; i++)
        if (!finish_reason(&job->answers[i])) return &job->answers[i];
    return NULL;
}

static void reply_answers(const TextJob *t, Reply *reply) {
    HttpError error;
    pthread_mutex_lock(&t->job->lock);
    const Answer *failed = failed_answer(t->job);
    if (failed) {
        answer_refuse(t, failed, &error);
        reply_error(reply, &error);
    } else {
        FILE *out = reply_begin(reply);
        if (out && t->fields.where == IN_STEPS)
            steps_write(out, t, &t->job->answers[0]);
        else if (out)
            answers_write(out, t);
        if (out) reply_end(reply, out);
    }
    pthread_mutex_unlock(&t->job->lock);
}

static void handle(const HttpRequest *request, int where, Reply *reply) {
    TextJob t;
    HttpError error = {0};
    const Model *m = request->server->loaded.model;
    if (!model_writes(m)) {
        http_error(&error, 400, NULL, "a %s model generates no text: POST %s", m->recipe->arch,
                   model_extras(m)->text_head.labels ? "/v1/rerank" : "/v1/embeddings");
        reply_error(reply, &error);
        return;
    }
    bool ok = text_job_open(&t, request, where, &error) && scores_read(&t, &error) &&
              image_parts_read(&t, request, &error) &&
              worker_submit(request->server, t.job, &error);
    if (!ok) {
        reply_error(reply, &error);
    } else if (t.stream) {
        *reply = (Reply){.status = 200, .type = "text/event-stream"};
        reply->events = events_open(&t);
        if (!reply->events) reply->status = 500, atomic_store(&t.job->gone, true);
    } else if (wait_for_all(request, t.job)) {
        reply_answers(&t, reply);
    } else {
        atomic_store(&t.job->gone, true);
        http_error(&error, 499, NULL, "the client disconnected");
        reply_error(reply, &error);
    }
    text_job_close(&t);
}

void handle_chat(const HttpRequest *request, Reply *reply) { handle(request, IN_CHAT, reply); }

void handle_steps(const HttpRequest *request, Reply *reply) {
    handle(request, IN_STEPS, reply);
}

void handle_completion(const HttpRequest *request, Reply *reply) {
    handle(request, IN_COMPLETION, reply);
}
