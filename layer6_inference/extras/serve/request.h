/* request.h - a request that has come in whole, and what is said to it.  HTTP itself is in connection.c.
 *
 * Invariant: a handler fills the reply, whatever the body holds; what the reply owns is given back by
 * reply_free. */
#ifndef STRATA_REQUEST_H
#define STRATA_REQUEST_H

#include "fields.h"
#include "server.h"

typedef struct Events Events; /* events.h */

typedef struct Reply {
    int status;
    const char *type; /* of its content */
    char *body;       /* (size) owns */
    size_t size;
    Events *events; /* a stream instead of a body; owns */
    bool retry;     /* tell when to come again */
} Reply;

typedef struct HttpRequest {
    Server *server;
    const char *rest; /* of the path, behind the route's: "" or a name */
    Text body;
    Text key;                      /* whose: "" without keys */
    bool (*is_gone)(void *client); /* has the client hung up? */
    void *client;
} HttpRequest;

typedef void Handler(const HttpRequest *request, Reply *reply);

typedef struct Route {
    const char *method, *path;
    Handler *handle;
    bool open; /* needs no key */
    bool tree; /* what begins with the path, too */
} Route;

/* All of them; a path that has none is a 404. */
extern const Route routes[];
extern const size_t n_routes;

Handler handle_chat, handle_completion, handle_embeddings, handle_rerank, handle_models,
    handle_health, handle_metrics, handle_tokenize, handle_detokenize, handle_template,
    handle_load, handle_page;

/* A body of JSON, which what is written to the stream becomes: reply_begin ... reply_end. */
FILE *reply_begin(Reply *reply);
void reply_end(Reply *reply, FILE *out);

void reply_error(Reply *reply, const HttpError *error);
void reply_free(Reply *reply);

#endif
