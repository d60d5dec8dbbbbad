/* connection.c - see connection.h. */
#include "connection.h"
#include "fault_try.h"
#include "grammar.h"
#include "memory_limit.h"

#include "events.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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
        size_t n = events_read(x->reply.events, out, room, CLIENT_POLL, &over);
        if (n) return client_has_read(&x->web->clients, x->client, n), (ssize_t)n;
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
        static const char starved[] =
            "{\"error\":{\"message\":\"no memory for the answer\",\"type\":\"server_error\","
            "\"param\":null,\"code\":null}}";
        Text body = {r->body, r->size};
        if (!r->body) body = text_of(r->status == 500 ? starved : "");
        response = MHD_create_response_from_buffer(body.size, (void *)(uintptr_t)body.data,
                                                   MHD_RESPMEM_PERSISTENT);
        if (!response) return NULL;
    }
    if (r->type) MHD_add_response_header(response, "Content-Type", r->type);
    if (x->closes) MHD_add_response_header(response, "Connection", "close");
    if (r->ignored[0]) MHD_add_response_header(response, "X-Ignored-Fields", r->ignored);
    if (r->retry) MHD_add_response_header(response, "Retry-After", "1");
    MHD_add_response_header(response, "X-Request-Id", x->id);
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
    Server *s = &x->web->models->list[0];
    size_t path = x->route ? (size_t)(x->route - routes) : n_routes;
    pthread_mutex_lock(&s->lock);
    metrics_count(&s->metrics, path, x->reply.status);
    pthread_mutex_unlock(&s->lock);
}

/* When everything was sent, or the client has gone. */
static void connection_log(Connection *x) {
    Usage u = x->reply.usage;
    if (x->web->options->quiet || !x->reply.status) return;
    if (x->reply.events) events_usage(x->reply.events, &u);
    log_request(x->web->models->list[0].access,
                &(LogEntry){.id = x->id,
                            .key = x->limits.name[0] ? x->limits.name : "-",
                            .method = x->method,
                            .path = x->route ? x->route->path : "other",
                            .status = x->reply.status,
                            .in = u.in,
                            .out = u.out,
                            .queue = u.queue,
                            .first = u.first,
                            .whole = clock_seconds() - x->began,
                            .reason = x->cut     ? "gone"
                                      : u.reason ? u.reason
                                                 : "-"});
}

/* Letters, digits, and - _ . of a text, if there is nothing else in it. */
static bool copy_word(const char *from, char *to, size_t room) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const size_t n = strspn(from, allowed);
    if (n == 0 || n >= room || from[n]) return false;
    return memcpy(to, from, n + 1), true;
}

/* The client's own id of the request, or a random one. */
static void name_request(Connection *x, struct MHD_Connection *c) {
    static atomic_ulong number;
    if (copy_word(connection_header(c, "X-Request-Id"), x->id, sizeof x->id)) return;
    snprintf(x->id, sizeof x->id, "%016llx",
             (unsigned long long)rng_hash((uint64_t)(x->began * 1e9),
                                          atomic_fetch_add(&number, 1), (uintptr_t)x));
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
    texts_refuse(x->dialect, error, &x->reply);
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
    x->dialect = dialect_of(path);
    x->web = web, x->client = info->socket_context, x->began = clock_seconds();
    x->client->old = strcmp(version, "HTTP/1.1") != 0;
    name_request(x, c);
    if (!copy_word(method, x->method, sizeof x->method)) strcpy(x->method, "other");
    if (!head_check(x, c, version, &path, &error)) return answer_error(x, c, &error);
    x->route = auth_route(path, &x->rest), x->dialect = dialect_of(path);
    if (strcmp(method, "OPTIONS") == 0) return answer_preflight(x, c);
    if (!auth_check(x, c, method, &error)) return answer_error(x, c, &error);
    return MHD_YES;
}

/* Has the client disconnected, or is the server's time up? */
static bool nobody_waits(void *context) {
    const Connection *x = context;
    return (x->server && atomic_load(&x->server->giving_up)) || client_is_gone(x->client);
}

typedef struct Handling {
    Connection *connection;
    const HttpRequest *request;
} Handling;

static void connection_handle(void *context) {
    const Handling *h = context;
    h->connection->route->handle(h->request, &h->connection->reply);
}

/* Where memory runs out, this request is refused, and the server goes on. */
static void handle(Connection *x, const HttpRequest *request) {
    HttpError error = {0};
    if (fault_try(connection_handle, &(Handling){x, request}, &error.fault)) return;
    http_error_fault(&error, 503, NULL);
    reply_free(&x->reply), texts_refuse(x->dialect, &error, &x->reply);
}

/* Work outside the service takes a slot, too: no client has more of it at once than others. */
static void handle_in_slot(Connection *x, const HttpRequest *request) {
    const uint64_t user = keys_salt(request->key, (Text){0});
    HttpError error = {0};
    if (!worker_admit(request->server, user, request->limits, 1, &error)) {
        texts_refuse(x->dialect, &error, &x->reply);
        return;
    }
    handle(x, request);
    worker_leave(request->server, user, 1);
}

/* The model that the body names, once it is loaded.  What only looks, looks at the first one,
 * if that is loaded. */
static bool connection_find_model(Connection *x, const HttpRequest *request, HttpError *error) {
    Models *models = x->web->models;
    Server *s = &models->list[0];
    if (x->route->flags & ROUTE_ALL) return true;
    if (strcmp(x->route->method, "GET") == 0) {
        if (models_look(s)) return x->server = s, true;
        return http_error(error, 503, NULL, "%s is not loaded: there is nothing to show",
                          s->name);
    }
    if (models->count > 1 && !models_choose(models, request->body, &s, error)) return false;
    if (!models_take(s, client_is_gone, x->client, error)) return false;
    return x->server = s, true;
}

/* The answer is made, and only its reader is waited for: it needs no model, and memory that is
 * counted.  A stream counts its own. */
static void connection_finish(Connection *x) {
    HttpError error = {0};
    Reply *r = &x->reply;
    if (r->events) {
        client_streams(&x->web->clients, x->client, events_are_made, r->events);
        return;
    }
    if (x->server) models_leave(x->server), x->server = NULL;
    const size_t size = r->size > ANSWER_FREE ? r->size : 0;
    if (memory_limit_take(size)) {
        x->answer_held = size;
    } else {
        http_error(&error, 503, NULL, "no memory for the answer");
        reply_free(r), texts_refuse(x->dialect, &error, r);
    }
    client_reads(&x->web->clients, x->client, r->size);
}

enum { LARGE_BODY = 32 << 10 };

/* Tokenizing a long prompt is work, too; on a machine that has no core to spare, running
 * answers come first.  Only this thread is nicer from now on. */
static void yield_to_worker(void) {
    (void)!setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10);
}

static enum MHD_Result respond(Connection *x, struct MHD_Connection *c) {
    HttpError error = {0};
    if (x->large) {
        http_error(&error, 413, NULL, "the body has more than %ld KiB", x->web->options->body);
        return answer_error(x, c, &error);
    }
    if (x->starved) {
        http_error(&error, 503, NULL, "no memory for the body");
        return answer_error(x, c, &error);
    }
    HttpRequest request = {.server = &x->web->models->list[0],
                           .rest = x->rest,
                           .body = {x->body.size ? x->body.data : "", x->body.size},
                           .key = x->web->keys.path ? auth_key(c) : (Text){"", 0},
                           .limits = &x->limits,
                           .is_gone = client_is_gone,
                           .client = x->client};
    client_busy(&x->web->clients, x->client, true);
    MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, 0);
    if (x->body.size > LARGE_BODY) yield_to_worker();
    if (!connection_find_model(x, &request, &error)) return answer_error(x, c, &error);
    if (x->server) request.server = x->server;
    grammar_watch(nobody_waits, x);
    if (x->route->flags & ROUTE_SLOT)
        handle_in_slot(x, &request);
    else
        handle(x, &request);
    grammar_watch(NULL, NULL);
    connection_finish(x);
    return answer(x, c);
}

enum MHD_Result connection_take(void *context, struct MHD_Connection *c, const char *path,
                                const char *method, const char *version, const char *data,
                                size_t *size, void **state) {
    Connection *x = *state;
    if (!x) return connection_begin(context, c, path, method, version, state);
    if (*size) {
        body_take(x, data, *size);
        *size = 0;
        return MHD_YES;
    }
    return respond(x, c);
}

void connection_end(void *context, struct MHD_Connection *c, void **state,
                    enum MHD_RequestTerminationCode code) {
    Connection *x = *state;
    (void)context, (void)c;
    if (!x) return;
    x->cut = code != MHD_REQUEST_TERMINATED_COMPLETED_OK;
    connection_log(x);
    if (x->client) client_busy(&x->web->clients, x->client, false);
    reply_free(&x->reply), body_drop(x);
    memory_limit_give(x->answer_held);
    if (x->server) models_leave(x->server);
    free(x);
    *state = NULL;
}
