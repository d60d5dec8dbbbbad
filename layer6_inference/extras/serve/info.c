/* info.c - /v1/models, /health, /metrics, /load. */
#include "served_models.h"
#include "request.h"

#include <stdlib.h>
#include <string.h>

static void write_model_facts(FILE *out, const Server *s) {
    fprintf(
        out,
        ",\"architecture\":{\"input_modalities\":[\"text\"%s],\"output_modalities\":[\"%s\"]},"
        "\"meta\":{\"ctx\":%zu,\"vocab\":%zu,\"layers\":%zu,\"dim\":%zu,\"arch\":\"%s\","
        "\"picture_tokens\":%zu}",
        s->pictures.places ? ",\"image\"" : "",
        model_writes(s->loaded.model) ? "text" : "embeddings", session_ctx(&s->loaded.session),
        s->loaded.model->sizes.vocab, s->loaded.model->sizes.layers, s->loaded.model->sizes.dim,
        s->loaded.model->recipe->arch, s->pictures.each);
}

/* A model, or one of its adapters.  What is known only of a loaded model is missing for
 * others. */
static void write_model(FILE *out, Server *s, Text name) {
    fputs("{\"id\":", out), write_text(out, name);
    if (!text_equal(name, text_of(s->name)))
        fputs(",\"parent\":", out), write_text(out, text_of(s->name));
    fprintf(out,
            ",\"object\":\"model\",\"created\":0,\"owned_by\":\"strata\",\"status\":{\"value\":"
            "\"%s\"}",
            models_state(s));
    if (models_look(s)) write_model_facts(out, s), models_leave(s);
    fputc('}', out);
}

static void write_models(FILE *out, const Models *models) {
    Text name;
    fputs("{\"object\":\"list\",\"data\":[", out);
    for (size_t i = 0; (name = models_name(models, i)).size; i++) {
        if (i) fputc(',', out);
        write_model(out, models_find(models, name), name);
    }
    fputs("]}", out);
}

void handle_models(const HttpRequest *request, Reply *reply) {
    const Models *models = request->server->models;
    const Text name = text_of(request->rest[0] == '/' ? request->rest + 1 : "");
    Server *one = name.size ? models_find(models, name) : NULL;
    HttpError error = {0};
    if (request->rest[0] == '/' && !one) {
        models_refuse(models, name, &error), reply_error(reply, &error);
        return;
    }
    FILE *out = reply_begin(reply);
    if (!out) return;
    if (one)
        write_model(out, one, models_full_name(models, name));
    else
        write_models(out, models);
    reply_end(reply, out);
}

static bool info_is_well(Server *s, HttpError *error) {
    pthread_mutex_lock(&s->lock);
    const Fault broken = s->broken;
    pthread_mutex_unlock(&s->lock);
    return !broken.text[0] || http_error(error, 503, NULL, "%s", broken.text);
}

void handle_health(const HttpRequest *request, Reply *reply) {
    Models *models = request->server->models;
    HttpError error = {0};
    pthread_mutex_lock(&models->lock);
    bool ok = !models->closing || http_error(&error, 503, NULL, "the server is shutting down");
    pthread_mutex_unlock(&models->lock);
    for (size_t i = 0; ok && i < models->count; i++)
        ok = info_is_well(&models->list[i], &error);
    if (ok && !atomic_load(&models->ready))
        ok = http_error(&error, 503, NULL, "the model is being loaded");
    if (!ok) {
        reply_error(reply, &error);
        return;
    }
    FILE *out = reply_begin(reply);
    if (out) fputs("{\"status\":\"ok\"}", out), reply_end(reply, out);
}

/* Copies, so that no worker waits while they are written. */
static ModelMetrics *info_copy_metrics(const Models *models) {
    ModelMetrics *all = malloc(models->count * sizeof *all);
    for (size_t i = 0; all && i < models->count; i++) {
        Server *s = &models->list[i];
        pthread_mutex_lock(&s->lock);
        all[i] = (ModelMetrics){s->name, s->metrics, s->load};
        pthread_mutex_unlock(&s->lock);
    }
    return all;
}

void handle_metrics(const HttpRequest *request, Reply *reply) {
    const Models *models = request->server->models;
    const char *paths[METRIC_PATHS];
    size_t n = 0;
    for (; n < n_routes; n++) paths[n] = routes[n].path;
    paths[n++] = "other";
    ModelMetrics *all = info_copy_metrics(models);
    FILE *out = reply_begin(reply);
    reply->type = "text/plain; version=0.0.4; charset=utf-8";
    if (all) all->metrics.log_dropped = log_dropped(request->server->access);
    if (out && all) metrics_write(all, models->count, paths, n, out);
    if (out) reply_end(reply, out);
    free(all);
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
