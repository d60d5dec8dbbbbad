/* web.c - see web.h. */
#include "connection.h"

#include <arpa/inet.h>
#include <errno.h>
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

static void on_connection(void *context, struct MHD_Connection *c, void **state,
                          enum MHD_ConnectionNotificationCode code) {
    Web *web = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *state = info ? client_find(&web->clients, info->connect_fd) : NULL;
    else
        client_remove(&web->clients, *state), *state = NULL;
}

/* Decodes %2F and the like; a path with %00 stays as sent, so that no route matches. */
static size_t web_unescape(void *context, struct MHD_Connection *c, char *text) {
    (void)context, (void)c;
    return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

static long web_port(const Web *web) {
    return web->health ? web->options->health_port : web->options->port;
}

static bool listen_at(Web *web, const struct addrinfo *at, Fault *fault) {
    int yes = 1;
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char host[64], port[16];
    web->socket = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (web->socket < 0) return fault_set(fault, "cannot open a socket");
    setsockopt(web->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(web->socket, at->ai_addr, at->ai_addrlen) != 0 || listen(web->socket, 1024) != 0)
        return errno == EADDRNOTAVAIL
                   ? fault_set(fault,
                               "--host %.80s is no address of this machine: give one of its "
                               "own, or 0.0.0.0 for all",
                               web->options->host)
                   : fault_set(fault,
                               "port %ld of %s is in use or not permitted: give another %s",
                               web_port(web), web->options->host,
                               web->health ? "--health-port" : "--port");
    getsockname(web->socket, (struct sockaddr *)&bound, &size);
    getnameinfo((struct sockaddr *)&bound, size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    bool six = strchr(host, ':') != NULL;
    snprintf(web->address, sizeof web->address, six ? "http://[%s]:%s" : "http://%s:%s", host,
             port);
    return true;
}

static bool open_socket(Web *web, Fault *fault) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    char port[16];
    snprintf(port, sizeof port, "%ld", web_port(web));
    if (getaddrinfo(web->options->host, port, &hints, &list) != 0)
        return fault_set(fault, "--host %.80s: no such address", web->options->host);
    bool ok = listen_at(web, list, fault);
    freeaddrinfo(list);
    return ok;
}

/* One descriptor per connection. */
static void allow_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Where there are several keys, none may take all slots of a model. */
static void web_share_server(Server *s, bool shared) {
    pthread_mutex_lock(&s->lock);
    s->admission.shared = shared;
    pthread_mutex_unlock(&s->lock);
    if (!models_look(s)) return;
    if (s->pictures.places) {
        pthread_mutex_lock(&s->pictures.lock);
        s->pictures.shared = shared;
        pthread_mutex_unlock(&s->pictures.lock);
    }
    models_leave(s);
}

static void web_share(Web *web) {
    for (size_t i = 0; i < web->models->count; i++)
        web_share_server(&web->models->list[i], web->keys.count > 1);
}

void web_ready(Web *web) {
    web_share(web);
    atomic_store(&web->models->ready, true);
}

bool web_reload(Web *web, Fault *fault) {
    if (!keys_reload(&web->keys, fault)) return false;
    web_share(web);
    return true;
}

/* ------------------------------------------------------------------ accepting */

/* The client may not have read what is sent to it before the connection is reset. */
static void web_turn_away(int socket, ClientEntry why) {
    static const char *const status[] = {[CLIENT_TOO_MANY] = "429 Too Many Requests",
                                         [CLIENT_NO_MEMORY] = "503 Service Unavailable"},
                             *const body[] = {
                                 [CLIENT_TOO_MANY] =
                                     "{\"error\":{\"message\":\"too many connections of this "
                                     "address\",\"type\":\"rate_limit_error\",\"param\":null,"
                                     "\"code\":\"connections\"}}",
                                 [CLIENT_NO_MEMORY] =
                                     "{\"error\":{\"message\":\"no memory for another "
                                     "connection\",\"type\":\"server_error\",\"param\":null,"
                                     "\"code\":null}}"};
    char answer[400];
    int size = snprintf(answer, sizeof answer,
                        "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu"
                        "\r\nRetry-After: 1\r\nConnection: close\r\n\r\n%s",
                        status[why], strlen(body[why]), body[why]);
    (void)!send(socket, answer, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(socket, SHUT_WR), close(socket);
}

static void *web_accept(void *context) {
    Web *web = context;
    for (;;) {
        struct sockaddr_storage from = {0};
        struct sockaddr *address = (struct sockaddr *)&from;
        socklen_t size = sizeof from;
        const int socket = accept4(web->socket, address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (socket < 0 && (errno == EINVAL || errno == EBADF)) return NULL; /* web_quiesce */
        ClientEntry entry = CLIENT_LISTED;
        if (socket < 0) {
            if (errno != EINTR && errno != ECONNABORTED) usleep(10000); /* no descriptor left */
        } else if ((entry = clients_admit(&web->clients, socket, client_address(address))) ==
                   CLIENT_LISTED) {
            if (!MHD_add_connection(web->daemon, socket, address, size))
                client_remove(&web->clients, client_find(&web->clients, socket));
        } else {
            web_turn_away(socket, entry);
        }
    }
}

/* The library must never reach its own limit: version 0.9.75 then keeps a lock for good. */
static bool start_daemon(Web *web, Fault *fault) {
    const size_t room = web->clients.room;
    web->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
            MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET,
        0, NULL, NULL, connection_take, web, MHD_OPTION_UNESCAPE_CALLBACK, web_unescape, web,
        MHD_OPTION_NOTIFY_COMPLETED, connection_end, web, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, web, MHD_OPTION_CONNECTION_LIMIT, (unsigned)room + 16,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)64 << 10, MHD_OPTION_THREAD_STACK_SIZE,
        (size_t)2 << 20, MHD_OPTION_END);
    if (!web->daemon) return fault_set(fault, "the HTTP library cannot start");
    web->accepting = pthread_create(&web->acceptor, NULL, web_accept, web) == 0;
    return web->accepting || fault_set(fault, "cannot start a thread");
}

enum { HEALTH_CLIENTS = 64 };

static bool open_clients(Web *web, Fault *fault) {
    const ServeOptions *o = web->options;
    const size_t room = web->health ? HEALTH_CLIENTS : (size_t)o->connections,
                 each =
                     web->health || !o->per_address ? (room + 1) / 2 : (size_t)o->per_address;
    return clients_open(&web->clients, room, each, o->patience) ||
           fault_set(fault, "cannot start a thread");
}

bool web_open(Web *web, Models *models, bool health, Fault *fault) {
    const ServeOptions *o = models->list[0].options;
    *web = (Web){.models = models, .options = o, .socket = -1, .health = health};
    const KeyLimits without = {.name = "-",
                               .priority = (int)o->priority,
                               .seconds = o->seconds,
                               .tokens = (size_t)o->tokens};
    if (!keys_open(&web->keys, health ? NULL : o->keys, &without, fault)) return false;
    if (!auth_check_origins(&o->origins, fault)) return false;
    allow_descriptors();
    return open_socket(web, fault) && open_clients(web, fault) && start_daemon(web, fault);
}

void web_quiesce(Web *web) {
    if (!web->accepting) return;
    clients_shut(&web->clients);
    shutdown(web->socket, SHUT_RDWR); /* ends accept4 */
    pthread_join(web->acceptor, NULL);
    web->accepting = false;
}

void web_close(Web *web) {
    if (!web->models) return;
    web_quiesce(web);
    if (web->daemon) MHD_stop_daemon(web->daemon);
    clients_close(&web->clients);
    keys_close(&web->keys);
    if (web->socket >= 0) close(web->socket);
}
