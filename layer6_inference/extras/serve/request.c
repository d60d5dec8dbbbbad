/* request.c - the table of routes, and replies.  See request.h. */
#include "request.h"

#include "events.h"

#include <stdlib.h>

const Route routes[] = {
    {"POST", "/v1/chat/completions", handle_chat, false, false},
    {"POST", "/v1/completions", handle_completion, false, false},
    {"POST", "/v1/embeddings", handle_embeddings, false, false},
    {"POST", "/v1/rerank", handle_rerank, false, false},
    {"GET", "/v1/models", handle_models, false, true},
    {"GET", "/health", handle_health, true, false},
    {"GET", "/metrics", handle_metrics, false, false},
    {"POST", "/tokenize", handle_tokenize, false, false},
    {"POST", "/detokenize", handle_detokenize, false, false},
    {"POST", "/apply-template", handle_template, false, false},
    {"GET", "/load", handle_load, false, false},
    {"POST", "/strata/steps", handle_steps, false, false},
    {"GET", "/strata/pages", handle_pages, false, false},
    {"GET", "/strata/schedule", handle_schedule, false, true},
    {"GET", "/ui", handle_page, true, true},
    {"GET", "/", handle_page, true, false},
};

const size_t n_routes = sizeof routes / sizeof *routes;

FILE *reply_begin(Reply *reply) {
    *reply = (Reply){.status = 200, .type = "application/json"};
    FILE *out = open_memstream(&reply->body, &reply->size);
    if (!out) reply->status = 500;
    return out;
}

void reply_end(Reply *reply, FILE *out) {
    if (fclose(out) != 0) reply->status = 500;
}

void reply_error(Reply *reply, const HttpError *error) {
    FILE *out = reply_begin(reply);
    if (!out) return;
    http_error_write(error, out);
    reply_end(reply, out);
    reply->status = error->status;
    reply->retry = error->status == 429 || error->status == 503;
}

void reply_free(Reply *reply) {
    free(reply->body);
    if (reply->events) events_close(reply->events);
    *reply = (Reply){0};
}
