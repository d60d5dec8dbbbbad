/* request.h - a complete request and its reply.  HTTP itself is in connection.c.
 *
 * Invariant: a handler fills the reply, whatever the body contains; reply_free frees what it
 * owns. */
#ifndef STRATA_REQUEST_H
#define STRATA_REQUEST_H

#include "fields.h"
#include "keys.h"
#include "server.h"

typedef struct Events Events; /* events.h */

/* What an answer took; for the log. */
typedef struct Usage {
    size_t in, out, cached; /* tokens; of `in`, those found in the prefix cache */
    double queue, first;    /* seconds until it ran, and to its first token */
    const char *reason;     /* why it ended */
} Usage;

typedef struct Reply {
    int status;
    const char *type; /* media type */
    char *body;       /* (size) owns */
    size_t size;
    Events *events;               /* a stream, instead of a body; owns */
    bool retry;                   /* send Retry-After */
    char ignored[FIELDS_IGNORED]; /* fields that had no effect; "": none */
    Usage usage;                  /* of a body that was generated; a stream's: events_usage */
} Reply;

typedef struct HttpRequest {
    Server *server;
    const char *rest; /* rest of the path after the route's: "" or a name */
    Text body;
    Text key;                      /* API key; "" without keys */
    const KeyLimits *limits;       /* the most that it may ask for */
    bool (*is_gone)(void *client); /* has the client disconnected? */
    void *client;
} HttpRequest;

typedef void Handler(const HttpRequest *request, Reply *reply);

enum {
    ROUTE_OPEN = 1,   /* needs no key */
    ROUTE_TREE = 2,   /* also matches longer paths */
    ROUTE_SLOT = 4,   /* takes a slot of the queue while it is handled */
    ROUTE_HEALTH = 8, /* also at --health-port */
    ROUTE_ALL = 16    /* about all models, or none: needs none of them loaded */
};

typedef struct Route {
    const char *method, *path;
    Handler *handle;
    int flags;
} Route;

/* All routes; any other path is a 404. */
extern const Route routes[];
extern const size_t n_routes;

/* Name the fields of a request that had no effect. */
void reply_name_ignored(Reply *reply, const RequestFields *fields);

Handler handle_chat, handle_completion, handle_embeddings, handle_rerank, handle_models,
    handle_health, handle_metrics, handle_tokenize, handle_detokenize, handle_template,
    handle_load, handle_steps, handle_pages, handle_schedule, handle_page, handle_ollama_chat,
    handle_ollama_generate, handle_ollama_tags, handle_ollama_ps, handle_ollama_show,
    handle_ollama_version, handle_messages, handle_count_tokens, handle_ollama_embed,
    handle_infill, handle_llama_completion, handle_responses, handle_loras, handle_props,
    handle_slots;

/* A stream for a JSON body: reply_begin ... reply_end. */
FILE *reply_begin(Reply *reply);
void reply_end(Reply *reply, FILE *out);

void reply_error(Reply *reply, const HttpError *error);
void reply_free(Reply *reply);

#endif
