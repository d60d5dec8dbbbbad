/* connection.c - see connection.h. */
#include "connection.h"
#include "grammar.h"

#include "events.h"

#include <stdlib.h>
#include <string.h>

const char *connection_header(struct MHD_Connection *c, const char *name) {
    const char *value = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
    return value ? value : "";
}

/* ------------------------------------------------------------------ streaming */

/* Sends text as it comes; between pieces it checks that the client is still connected. */
static ssize_t read_events(void *context, uint64_t position, char *out, size_t room) {
    Connection *x = context;
    bool over = false;
    (void)position;
    for (;;) {
        size_t n = events_read(x->reply.events, out, room, 0.1, &over);
        if (n) return (ssize_t)n;
        if (over) return MHD_CONTENT_READER_END_OF_STREAM;
        if (client_is_hung_up(x->client)) return MHD_CONTENT_READER_END_WITH_ERROR;
        if (client_wants_probe(x->client)) events_ping(x->reply.events);
    }
}

/* The page runs its own files and talks to its own server; nothing may frame it. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static struct MHD_Response *make_response(Connection *x) {
    Reply *r = &x->reply;
    struct MHD_Response *response;
    if (r->events) {
        response =
            MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read_events, x, NULL);
        if (!response) return NULL;
        MHD_add_response_header(response, "Cache-Control", "no-cache");
        MHD_add_response_header(response, "X-Accel-Buffering", "no");
    } else {
        response = MHD_create_response_from_buffer(r->size, r->body ? r->body : "",
                                                   MHD_RESPMEM_PERSISTENT);
        if (!response) return NULL;
    }
    if (r->type) MHD_add_response_header(response, "Content-Type", r->type);
    if (r->retry) MHD_add_response_header(response, "Retry-After", "1");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    return response;
}

static void add_cors(const Web *web, struct MHD_Connection *c, struct MHD_Response *response) {
    const char *origin = connection_header(c, "Origin");
    if (!*origin || !auth_allow_origin(web, origin)) return;
    MHD_add_response_header(response, "Access-Control-Allow-Origin", origin);
    MHD_add_response_header(response, "Vary", "Origin");
}

static void connection_count(Connection *x) {
    Server *s = x->web->server;
    size_t path = x->route ? (size_t)(x->route - routes) : n_routes;
    pthread_mutex_lock(&s->lock);
    metrics_count(&s->metrics, path, x->reply.status);
    pthread_mutex_unlock(&s->lock);
    if (!x->web->options->quiet)
        fprintf(stderr, "%s %d %.0f ms\n", x->route ? x->route->path : "other", x->reply.status,
                1e3 * (clock_seconds() - x->began));
}

static enum MHD_Result answer(Connection *x, struct MHD_Connection *c) {
    struct MHD_Response *response = make_response(x);
    if (!response) return MHD_NO;
    add_cors(x->web, c, response);
    if (x->reply.status == 401) MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (x->reply.status == 405 && x->route)
        MHD_add_response_header(response, "Allow", x->route->method);
    connection_count(x);
    MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT,
                              (unsigned)(x->web->options->patience + 0.999));
    enum MHD_Result result = MHD_queue_response(c, (unsigned)x->reply.status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_error(Connection *x, struct MHD_Connection *c,
                                    const HttpError *error) {
    reply_error(&x->reply, error);
    return answer(x, c);
}

/* CORS preflight: a browser asks whether a page of another origin may send a request. */
static enum MHD_Result answer_preflight(Connection *x, struct MHD_Connection *c) {
    HttpError error = {0};
    if (!auth_allow_origin(x->web, connection_header(c, "Origin"))) {
        http_error(&error, 403, NULL,
                   "this origin is not allowed: start the server with --origin");
        return answer_error(x, c, &error);
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    add_cors(x->web, c, response);
    MHD_add_response_header(response, "Access-Control-Allow-Methods", "GET, POST, OPTIONS");
    MHD_add_response_header(response, "Access-Control-Allow-Headers",
                            connection_header(c, "Access-Control-Request-Headers"));
    MHD_add_response_header(response, "Access-Control-Max-Age", "86400");
    x->reply.status = 204;
    connection_count(x);
    enum MHD_Result result = MHD_queue_response(c, 204, response);
    MHD_destroy_response(response);
    return result;
}

/* ------------------------------------------------------------------ requests */

static enum MHD_Result connection_begin(Web *web, struct MHD_Connection *c, const char *path,
                                        const char *method, const char *version, void **state) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    HttpError error = {0};
    Connection *x = *state = calloc(1, sizeof *x);
    if (!x || !info || !info->socket_context) return MHD_NO;
    x->web = web, x->client = info->socket_context, x->began = clock_seconds();
    x->client->old = strcmp(version, "HTTP/1.1") != 0;
    x->route = auth_route(path, &x->rest);
    if (strcmp(method, "OPTIONS") == 0) return answer_preflight(x, c);
    if (!auth_check(x, c, method, &error)) return answer_error(x, c, &error);
    return MHD_YES;
}

static void take_body(Connection *x, const char *data, size_t size) {
    const size_t most = (size_t)x->web->options->body << 10;
    x->large =
        x->large || x->body.size + size > most || !bytes_add(&x->body, (Text){data, size});
    if (x->large) bytes_free(&x->body);
}

/* Has the client disconnected, or is the server's time up? */
static bool nobody_waits(void *context) {
    const Connection *x = context;
    return atomic_load(&x->web->server->giving_up) || client_is_gone(x->client);
}

static enum MHD_Result respond(Connection *x, struct MHD_Connection *c) {
    HttpError error = {0};
    if (x->large) {
        http_error(&error, 413, NULL, "the body has more than %ld KiB", x->web->options->body);
        return answer_error(x, c, &error);
    }
    const HttpRequest request = {.server = x->web->server,
                                 .rest = x->rest,
                                 .body = {x->body.size ? x->body.data : "", x->body.size},
                                 .key = x->web->keys.count ? auth_key(c) : (Text){"", 0},
                                 .is_gone = client_is_gone,
                                 .client = x->client};
    client_busy(&x->web->clients, x->client, true);
    MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, 0);
    grammar_watch(nobody_waits, x);
    x->route->handle(&request, &x->reply);
    grammar_watch(NULL, NULL);
    return answer(x, c);
}

enum MHD_Result connection_take(void *context, struct MHD_Connection *c, const char *path,
                                const char *method, const char *version, const char *data,
                                size_t *size, void **state) {
    Connection *x = *state;
    if (!x) return connection_begin(context, c, path, method, version, state);
    if (*size) {
        take_body(x, data, *size);
        *size = 0;
        return MHD_YES;
    }
    return respond(x, c);
}

void connection_end(void *context, struct MHD_Connection *c, void **state,
                    enum MHD_RequestTerminationCode code) {
    Connection *x = *state;
    (void)context, (void)c, (void)code;
    if (!x) return;
    if (x->client) client_busy(&x->web->clients, x->client, false);
    reply_free(&x->reply), bytes_free(&x->body);
    free(x);
    *state = NULL;
}
