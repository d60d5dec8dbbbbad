/* web.c - see web.h. */
#include "web.h"

#include "events.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if MHD_VERSION < 0x00097100
#error "strata serve needs libmicrohttpd 0.9.71 or later"
#endif

/* A request on its way in, and its answer on the way out. */
typedef struct Exchange {
    Web *web;
    const Route *route; /* NULL: none */
    const char *rest;
    Bytes body;
    Reply reply;
    bool large; /* the body is larger than allowed */
    double began;
    Peer *peer;
} Exchange;

/* ------------------------------------------------------------------ who may ask what */

static const char *header(struct MHD_Connection *c, const char *name) {
    const char *value = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
    return value ? value : "";
}

static const Route *find_route(const char *path, const char **rest) {
    for (size_t i = 0; i < n_routes; i++) {
        size_t n = strlen(routes[i].path);
        if (strncmp(path, routes[i].path, n) != 0) continue;
        *rest = path + n;
        if (!**rest || (routes[i].tree && **rest == '/')) return &routes[i];
    }
    return NULL;
}

static bool is_allowed_origin(const Web *web, const char *origin) {
    const OptionList *list = &web->options->origins;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], origin) == 0) return true;
    return false;
}

/* A page that this server itself sent, or one that it was told of. */
static bool may_ask(const Web *web, const char *origin, const char *host) {
    const char *name = strstr(origin, "://");
    return !*origin || (name && strcmp(name + 3, host) == 0) || is_allowed_origin(web, origin);
}

static Text key_of(struct MHD_Connection *c) {
    const char *given = header(c, "Authorization");
    return text_of(strncmp(given, "Bearer ", 7) == 0 ? given + 7 : "");
}

/* A page of somebody else's may have its own name lead here: only names of this machine are answered. */
static bool is_here(const char *host) {
    size_t n = strcspn(host[0] == '[' ? "" : host, ":");
    return !*host || host[0] == '[' || (n == 9 && strncmp(host, "localhost", 9) == 0) ||
           strspn(host, "0123456789.") == n;
}

static bool check_method(const Exchange *x, const char *method, Refusal *refusal) {
    const char *wanted = x->route->method;
    if (strcmp(method, wanted) == 0 ||
        (strcmp(wanted, "GET") == 0 && strcmp(method, "HEAD") == 0))
        return true;
    return refuse(refusal, 405, NULL, "%s takes %s", x->route->path, wanted);
}

static bool check_body(const Exchange *x, struct MHD_Connection *c, Refusal *refusal) {
    const char *type = header(c, "Content-Type");
    const size_t most = (size_t)x->web->options->body << 10;
    const double length = strtod(header(c, "Content-Length"), NULL);
    if (strcmp(x->route->method, "POST") != 0) return true;
    if (length > (double)most)
        return refuse(refusal, 413, NULL, "the body has %.0f bytes, more than %zu", length,
                      most);
    return strncasecmp(type, "application/json", 16) == 0 ||
           refuse(refusal, 415, NULL, "the body is '%.60s': wanted application/json", type);
}

/* All that can be said before the body is read. */
static bool check_head(const Exchange *x, struct MHD_Connection *c, const char *method,
                       Refusal *refusal) {
    const Web *web = x->web;
    if (web->loopback && web->keys.count == 0 && !is_here(header(c, "Host")))
        return refuse(refusal, 403, NULL,
                      "this server is for this machine: it has no other name");
    if (strcmp(method, "POST") == 0 && !may_ask(web, header(c, "Origin"), header(c, "Host")))
        return refuse(refusal, 403, NULL,
                      "pages of this origin may not ask: --origin allows one");
    if (!x->route) return refuse(refusal, 404, NULL, "there is nothing here");
    return (x->route->open || keys_have(&web->keys, key_of(c)) ||
            refuse(refusal, 401, NULL, "wanted a key: Authorization: Bearer ...")) &&
           check_method(x, method, refusal) && check_body(x, c, refusal);
}

/* ------------------------------------------------------------------ answers */

/* Text as it comes; between pieces, whether anybody is still there. */
static ssize_t read_events(void *context, uint64_t position, char *out, size_t room) {
    Exchange *x = context;
    bool over = false;
    (void)position;
    for (;;) {
        size_t n = events_read(x->reply.events, out, room, 0.1, &over);
        if (n) return (ssize_t)n;
        if (over) return MHD_CONTENT_READER_END_OF_STREAM;
        if (peer_is_hung_up(x->peer)) return MHD_CONTENT_READER_END_WITH_ERROR;
        if (peer_wants_probe(x->peer)) events_ping(x->reply.events);
    }
}

static struct MHD_Response *make_response(Exchange *x) {
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
    return response;
}

static void add_cors(const Web *web, struct MHD_Connection *c, struct MHD_Response *response) {
    const char *origin = header(c, "Origin");
    if (!*origin || !is_allowed_origin(web, origin)) return;
    MHD_add_response_header(response, "Access-Control-Allow-Origin", origin);
    MHD_add_response_header(response, "Vary", "Origin");
}

static void count(Exchange *x) {
    Server *s = x->web->server;
    size_t path = x->route ? (size_t)(x->route - routes) : n_routes;
    pthread_mutex_lock(&s->lock);
    metrics_count(&s->metrics, path, x->reply.status);
    pthread_mutex_unlock(&s->lock);
    if (!x->web->options->quiet)
        fprintf(stderr, "%s %d %.0f ms\n", x->route ? x->route->path : "other", x->reply.status,
                1e3 * (clock_seconds() - x->began));
}

static enum MHD_Result answer(Exchange *x, struct MHD_Connection *c) {
    struct MHD_Response *response = make_response(x);
    if (!response) return MHD_NO;
    add_cors(x->web, c, response);
    if (x->reply.status == 401) MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (x->reply.status == 405 && x->route)
        MHD_add_response_header(response, "Allow", x->route->method);
    count(x);
    MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT,
                              (unsigned)(x->web->options->patience + 0.999));
    enum MHD_Result result = MHD_queue_response(c, (unsigned)x->reply.status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_refusal(Exchange *x, struct MHD_Connection *c,
                                      const Refusal *refusal) {
    reply_refuse(&x->reply, refusal);
    return answer(x, c);
}

/* A browser asks whether a page of another origin may. */
static enum MHD_Result answer_preflight(Exchange *x, struct MHD_Connection *c) {
    Refusal refusal;
    if (!is_allowed_origin(x->web, header(c, "Origin"))) {
        refuse(&refusal, 403, NULL, "pages of this origin may not ask: --origin allows one");
        return answer_refusal(x, c, &refusal);
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    add_cors(x->web, c, response);
    MHD_add_response_header(response, "Access-Control-Allow-Methods", "GET, POST, OPTIONS");
    MHD_add_response_header(response, "Access-Control-Allow-Headers",
                            header(c, "Access-Control-Request-Headers"));
    MHD_add_response_header(response, "Access-Control-Max-Age", "86400");
    x->reply.status = 204;
    count(x);
    enum MHD_Result result = MHD_queue_response(c, 204, response);
    MHD_destroy_response(response);
    return result;
}

/* ------------------------------------------------------------------ requests */

static enum MHD_Result begin(Web *web, struct MHD_Connection *c, const char *path,
                             const char *method, const char *version, void **state) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    Refusal refusal = {0};
    Exchange *x = *state = calloc(1, sizeof *x);
    if (!x || !info || !info->socket_context) return MHD_NO;
    x->web = web, x->peer = info->socket_context, x->began = clock_seconds();
    x->peer->old = strcmp(version, "HTTP/1.1") != 0;
    x->route = find_route(path, &x->rest);
    if (strcmp(method, "OPTIONS") == 0) return answer_preflight(x, c);
    if (!check_head(x, c, method, &refusal)) return answer_refusal(x, c, &refusal);
    return MHD_YES;
}

static void take_body(Exchange *x, const char *data, size_t size) {
    const size_t most = (size_t)x->web->options->body << 10;
    x->large =
        x->large || x->body.size + size > most || !bytes_add(&x->body, (Text){data, size});
    if (x->large) bytes_free(&x->body);
}

static enum MHD_Result respond(Exchange *x, struct MHD_Connection *c) {
    Refusal refusal = {0};
    if (x->large) {
        refuse(&refusal, 413, NULL, "the body has more than %ld KiB", x->web->options->body);
        return answer_refusal(x, c, &refusal);
    }
    const Call call = {.server = x->web->server,
                       .rest = x->rest,
                       .body = {x->body.size ? x->body.data : "", x->body.size},
                       .key = x->web->keys.count ? key_of(c) : (Text){"", 0},
                       .is_gone = peer_is_gone,
                       .peer = x->peer};
    peer_busy(&x->web->peers, x->peer, true);
    MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, 0);
    x->route->handle(&call, &x->reply);
    return answer(x, c);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *c, const char *path,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state) {
    Exchange *x = *state;
    if (!x) return begin(context, c, path, method, version, state);
    if (*size) {
        take_body(x, data, *size);
        *size = 0;
        return MHD_YES;
    }
    return respond(x, c);
}

static void on_completed(void *context, struct MHD_Connection *c, void **state,
                         enum MHD_RequestTerminationCode code) {
    Exchange *x = *state;
    (void)context, (void)c, (void)code;
    if (!x) return;
    if (x->peer) peer_busy(&x->web->peers, x->peer, false);
    reply_free(&x->reply), bytes_free(&x->body);
    free(x);
    *state = NULL;
}

static void on_connection(void *context, struct MHD_Connection *c, void **state,
                          enum MHD_ConnectionNotificationCode code) {
    Web *web = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *state = info ? peer_add(&web->peers, info->connect_fd) : NULL;
    else
        peer_remove(&web->peers, *state), *state = NULL;
}

/* ------------------------------------------------------------------ the socket */

static bool is_loopback(const struct sockaddr *address) {
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static bool listen_at(Web *web, const struct addrinfo *at, Fault *fault) {
    int yes = 1;
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char host[64], port[16];
    web->socket = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (web->socket < 0) return fault_set(fault, "no socket can be opened");
    setsockopt(web->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(web->socket, at->ai_addr, at->ai_addrlen) != 0 || listen(web->socket, 1024) != 0)
        return fault_set(fault, "port %ld of %s is taken, or may not be used",
                         web->options->port, web->options->host);
    getsockname(web->socket, (struct sockaddr *)&bound, &size);
    getnameinfo((struct sockaddr *)&bound, size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    web->loopback = is_loopback((struct sockaddr *)&bound);
    bool six = strchr(host, ':') != NULL;
    snprintf(web->address, sizeof web->address, six ? "http://[%s]:%s" : "http://%s:%s", host,
             port);
    return true;
}

static bool open_socket(Web *web, Fault *fault) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    char port[16];
    snprintf(port, sizeof port, "%ld", web->options->port);
    if (getaddrinfo(web->options->host, port, &hints, &list) != 0)
        return fault_set(fault, "--host %.80s: there is no such address", web->options->host);
    bool ok = listen_at(web, list, fault);
    freeaddrinfo(list);
    return ok;
}

/* Each connection takes a descriptor. */
static void allow_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

bool web_open(Web *web, Server *server, Fault *fault) {
    const ServeOptions *o = server->options;
    *web = (Web){.server = server, .options = o, .socket = -1};
    if (o->keys && !keys_open(&web->keys, o->keys, fault)) return false;
    allow_descriptors();
    if (!open_socket(web, fault)) return false;
    if (!peers_open(&web->peers, o->patience))
        return fault_set(fault, "no further thread can be started");
    web->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
            MHD_USE_ITC,
        0, NULL, NULL, on_request, web, MHD_OPTION_LISTEN_SOCKET, web->socket,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, web, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, web, MHD_OPTION_CONNECTION_LIMIT, (unsigned)o->connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)64 << 10, MHD_OPTION_THREAD_STACK_SIZE,
        (size_t)2 << 20, MHD_OPTION_END);
    return web->daemon || fault_set(fault, "the HTTP library cannot start");
}

void web_quiesce(Web *web) {
    MHD_socket socket = web->daemon ? MHD_quiesce_daemon(web->daemon) : MHD_INVALID_SOCKET;
    if (socket != MHD_INVALID_SOCKET) close(socket), web->socket = -1;
}

void web_close(Web *web) {
    if (!web->server) return;
    if (web->daemon) MHD_stop_daemon(web->daemon);
    peers_close(&web->peers);
    keys_close(&web->keys);
    if (web->socket >= 0 && !web->daemon) close(web->socket);
}
