/* request.c - the table of routes, and replies.  See request.h. */
#include "request.h"

#include "events.h"

#include <stdlib.h>
#include <string.h>

const Route routes[] = {
    {"POST", "/v1/chat/completions", handle_chat, 0},
    {"POST", "/v1/completions", handle_completion, 0},
    {"POST", "/v1/embeddings", handle_embeddings, ROUTE_SLOT},
    {"POST", "/v1/rerank", handle_rerank, ROUTE_SLOT},
    {"POST", "/rerank", handle_rerank, ROUTE_SLOT},
    {"POST", "/infill", handle_infill, 0},
    {"POST", "/completion", handle_llama_completion, 0},
    {"GET", "/v1/models", handle_models, ROUTE_TREE | ROUTE_ALL},
    {"GET", "/lora-adapters", handle_loras, 0},
    {"POST", "/v1/responses", handle_responses, 0},
    {"POST", "/v1/messages", handle_messages, 0},
    {"POST", "/v1/messages/count_tokens", handle_count_tokens, ROUTE_SLOT},
    {"POST", "/api/chat", handle_ollama_chat, 0},
    {"POST", "/api/generate", handle_ollama_generate, 0},
    {"POST", "/api/embed", handle_ollama_embed, ROUTE_SLOT},
    {"POST", "/api/show", handle_ollama_show, 0},
    {"GET", "/props", handle_props, 0},
    {"GET", "/slots", handle_slots, 0},
    {"GET", "/api/tags", handle_ollama_tags, ROUTE_ALL},
    {"GET", "/api/ps", handle_ollama_ps, ROUTE_ALL},
    {"GET", "/api/version", handle_ollama_version, ROUTE_OPEN | ROUTE_ALL},
    {"GET", "/health", handle_health, ROUTE_OPEN | ROUTE_HEALTH | ROUTE_ALL},
    {"GET", "/metrics", handle_metrics, ROUTE_HEALTH | ROUTE_ALL},
    {"POST", "/tokenize", handle_tokenize, ROUTE_SLOT},
    {"POST", "/detokenize", handle_detokenize, ROUTE_SLOT},
    {"POST", "/apply-template", handle_template, ROUTE_SLOT},
    {"GET", "/load", handle_load, ROUTE_ALL},
    {"POST", "/strata/steps", handle_steps, 0},
    {"GET", "/strata/pages", handle_pages, 0},
    {"GET", "/strata/schedule", handle_schedule, ROUTE_TREE},
    {"GET", "/ui", handle_page, ROUTE_OPEN | ROUTE_TREE | ROUTE_ALL},
    {"GET", "/", handle_page, ROUTE_OPEN | ROUTE_ALL},
};

const size_t n_routes = sizeof routes / sizeof *routes;

_Static_assert(sizeof routes / sizeof *routes < METRIC_PATHS,
               "metrics count each, and the others");

FILE *reply_begin(Reply *reply) {
    *reply = (Reply){.status = 200, .type = "application/json"};
    FILE *out = open_memstream(&reply->body, &reply->size);
    if (!out) reply->status = 500;
    return out;
}

void reply_end(Reply *reply, FILE *out) {
    if (memory_close(out, &reply->body)) return;
    free(reply->body);
    reply->body = NULL, reply->size = 0, reply->status = 500;
}

void reply_error(Reply *reply, const HttpError *error) {
    FILE *out = reply_begin(reply);
    if (!out) return;
    http_error_write(error, out);
    reply_end(reply, out);
    if (reply->body) reply->status = error->status;
    reply->retry = error->status == 429 || error->status == 503;
}

void reply_name_ignored(Reply *reply, const RequestFields *fields) {
    memcpy(reply->ignored, fields->ignored, sizeof reply->ignored);
}

void reply_free(Reply *reply) {
    free(reply->body);
    if (reply->events) events_close(reply->events);
    *reply = (Reply){0};
}
