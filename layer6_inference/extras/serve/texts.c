/* texts.c - the routes that generate: /v1/chat/completions and /v1/completions. */
#include "answers.h"
#include "events.h"
#include "image_part.h"

/* Wait until all answers are over.  False when the client has gone. */
static bool wait_for_all(const Call *call, Job *job) {
    bool gone = false;
    pthread_mutex_lock(&job->lock);
    while (job->left && !gone) {
        job_wait(job, 0.05);
        pthread_mutex_unlock(&job->lock);
        gone = call->is_gone(call->peer);
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
    Refusal refusal;
    pthread_mutex_lock(&t->job->lock);
    const Answer *failed = failed_answer(t->job);
    if (failed) {
        answer_refuse(t, failed, &refusal);
        reply_refuse(reply, &refusal);
    } else {
        FILE *out = reply_begin(reply);
        if (out) answers_write(out, t), reply_end(reply, out);
    }
    pthread_mutex_unlock(&t->job->lock);
}

static void handle(const Call *call, int where, Reply *reply) {
    TextJob t;
    Refusal refusal = {0};
    const Model *m = call->server->loaded.model;
    if (!model_writes(m)) {
        refuse(&refusal, 400, NULL, "this %s model does not write: POST %s", m->recipe->arch,
               model_extras(m)->text_head.labels ? "/v1/rerank" : "/v1/embeddings");
        reply_refuse(reply, &refusal);
        return;
    }
    bool ok = text_job_open(&t, call, where, &refusal) && scores_read(&t, &refusal) &&
              image_parts_read(&t, call, &refusal) &&
              worker_submit(call->server, t.job, &refusal);
    if (!ok) {
        reply_refuse(reply, &refusal);
    } else if (t.stream) {
        *reply = (Reply){.status = 200, .type = "text/event-stream"};
        reply->events = events_open(&t);
        if (!reply->events) reply->status = 500, atomic_store(&t.job->gone, true);
    } else if (wait_for_all(call, t.job)) {
        reply_answers(&t, reply);
    } else {
        atomic_store(&t.job->gone, true);
        refuse(&refusal, 499, NULL, "the client has gone");
        reply_refuse(reply, &refusal);
    }
    text_job_close(&t);
}

void handle_chat(const Call *call, Reply *reply) { handle(call, IN_CHAT, reply); }

void handle_completion(const Call *call, Reply *reply) { handle(call, IN_COMPLETION, reply); }
