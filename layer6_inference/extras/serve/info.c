/* info.c - /v1/models, /health, /metrics, /load. */
#include "request.h"

#include <stdlib.h>
#include <string.h>

static void write_model(FILE *out, const Server *s) {
    fputs("{\"id\":", out);
    write_text(out, text_of(s->name));
    fprintf(
        out,
        ",\"object\":\"model\",\"created\":0,\"owned_by\":\"strata\",\"architecture\":{\"input_"
        "modalities\":[\"text\"%s],\"output_modalities\":[\"%s\"]},\"meta\":{\"ctx\":%zu,"
        "\"vocab\":%zu,\"layers\":%zu,\"dim\":%zu,\"arch\":\"%s\",\"picture_tokens\":%zu}}",
        s->pictures.places ? ",\"image\"" : "",
        model_writes(s->loaded.model) ? "text" : "embeddings", session_ctx(&s->loaded.session),
        s->loaded.model->sizes.vocab, s->loaded.model->sizes.layers, s->loaded.model->sizes.dim,
        s->loaded.model->recipe->arch, s->pictures.each);
}

void handle_models(const HttpRequest *request, Reply *reply) {
    const char *name = request->rest[0] == '/' ? request->rest + 1 : NULL;
    HttpError error;
    if (name && strcmp(name, request->server->name) != 0) {
        http_error(&error, 404, "model", "no model '%.80s': this server runs %s", name,
                   request->server->name);
        error.code = "model_not_found";
        reply_error(reply, &error);
        return;
    }
    FILE *out = reply_begin(reply);
    if (!out) return;
    if (!name) fputs("{\"object\":\"list\",\"data\":[", out);
    write_model(out, request->server);
    if (!name) fputs("]}", out);
    reply_end(reply, out);
}

void handle_health(const HttpRequest *request, Reply *reply) {
    Server *s = request->server;
    HttpError error;
    pthread_mutex_lock(&s->lock);
    bool draining = s->draining;
    Fault broken = s->broken;
    pthread_mutex_unlock(&s->lock);
    if (draining || broken.text[0]) {
        http_error(&error, 503, NULL, "%s",
                   draining ? "the server is shutting down" : broken.text);
        reply_error(reply, &error);
        return;
    }
    FILE *out = reply_begin(reply);
    if (out) fputs("{\"status\":\"ok\"}", out), reply_end(reply, out);
}

void handle_metrics(const HttpRequest *request, Reply *reply) {
    Server *s = request->server;
    const char *paths[METRIC_PATHS];
    size_t n = 0;
    for (; n < n_routes; n++) paths[n] = routes[n].path;
    paths[n++] = "other";
    pthread_mutex_lock(&s->lock);
    Metrics *metrics = malloc(sizeof *metrics);
    if (metrics) *metrics = s->metrics;
    Load load = s->load;
    pthread_mutex_unlock(&s->lock);
    FILE *out = reply_begin(reply);
    reply->type = "text/plain; version=0.0.4; charset=utf-8";
    if (out && metrics) metrics_write(metrics, &load, paths, n, out);
    if (out) reply_end(reply, out);
    free(metrics);
}

static void write_sight(FILE *out, const SlotStatus *status) {
    fprintf(out,
            "{\"id\":%llu,\"running\":%s,\"prompt\":%zu,\"read\":%zu,\"tokens\":%zu,\"pages\":%"
            "zu,\"shared\":%zu}",
            (unsigned long long)status->id, status->running ? "true" : "false", status->prompt,
            status->read, status->tokens, status->pages, status->shared);
}

void handle_load(const HttpRequest *request, Reply *reply) {
    Server *s = request->server;
    FILE *out = reply_begin(reply);
    if (!out) return;
    pthread_mutex_lock(&s->lock);
    const Load *l = &s->load;
    fprintf(out,
            "{\"waiting\":%zu,\"running\":%zu,\"places\":%zu,\"queue\":%zu,\"pages\":%zu,"
            "\"pages_free\":%zu,\"pages_kept\":%zu,\"layers\":%zu,\"page_tokens\":%d,\"tokens_"
            "per_second\":%.1f,\"steps\":%zu,\"tokens\":%zu,\"preempted\":%zu,\"answers\":[",
            l->waiting, l->running, s->policy.running, s->policy.waiting, l->pages,
            l->pages_free, l->pages_kept, l->layers, KV_PAGE, l->tokens_per_second,
            l->counts.steps, l->counts.tokens, l->counts.preempted);
    for (size_t i = 0; i < s->n_status; i++) {
        if (i) fputc(',', out);
        write_sight(out, &s->status[i]);
    }
    pthread_mutex_unlock(&s->lock);
    fputs("]}", out);
    reply_end(reply, out);
}
