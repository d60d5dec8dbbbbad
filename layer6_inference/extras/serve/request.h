/* request.h - a complete request and its reply.  HTTP itself is in connection.c.
 *
 * Invariant: a handler fills the reply, whatever the body contains; reply_free frees what it
 * owns. */
#ifndef STRATA_REQUEST_H
#define STRATA_REQUEST_H

#include "fields.h"
#include "server.h"

typedef struct Events Events; /* events.h */

typedef struct Reply {
    int status;
    const char *type; /* media type */
    char *body;       /* (size) owns */
    size_t size;
    Events *events; /* a stream, instead of a body; owns */
    bool retry;     /* send Retry-After */
} Reply;

typedef struct HttpRequest {
    Server *server;
    const char *rest; /* rest of the path after the route's: "" or a name */
    Text body;
    Text key;                      /* API key; "" without keys */
    bool (*is_gone)(void *client); /* has the client disconnected? */
    void *client;
} HttpRequest;

typedef void Handler(const HttpRequest *request, Reply *reply);

typedef struct Route {
    const char *method, *path;
    Handler *handle;
    bool open; /* needs no key */
    bool tree; /* also matches longer paths */
} Route;

/* All routes; any other path is a 404. */
extern const Route routes[];
extern const size_t n_routes;

Handler handle_chat, handle_completion, handle_embeddings, handle_rerank, handle_models,
    handle_health, handle_metrics, handle_tokenize, handle_detokenize, handle_template,
    handle_load, handle_steps, handle_pages, handle_schedule, handle_page;

/* A stream for a JSON body: reply_begin ... reply_end. */
FILE *reply_begin(Reply *reply);
void reply_end(Reply *reply, FILE *out);

void reply_error(Reply *reply, const HttpError *error);
void reply_free(Reply *reply);

#endif
