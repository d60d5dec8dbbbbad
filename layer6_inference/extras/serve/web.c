/* web.c - see web.h. */
#include "connection.h"

#include <arpa/inet.h>
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
        *state = info ? client_add(&web->clients, info->connect_fd) : NULL;
    else
        client_remove(&web->clients, *state), *state = NULL;
}

/* Decodes %2F and the like; a path with %00 stays as sent, so that no route matches. */
static size_t web_unescape(void *context, struct MHD_Connection *c, char *text) {
    (void)context, (void)c;
    return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

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
    if (web->socket < 0) return fault_set(fault, "cannot open a socket");
    setsockopt(web->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(web->socket, at->ai_addr, at->ai_addrlen) != 0 || listen(web->socket, 1024) != 0)
        return fault_set(fault,
                         "port %ld of %s is in use or not permitted: give another --port",
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

bool web_open(Web *web, Server *server, Fault *fault) {
    const ServeOptions *o = server->options;
    *web = (Web){.server = server, .options = o, .socket = -1};
    if (!auth_check_origins(&o->origins, fault)) return false;
    if (o->keys && !keys_open(&web->keys, o->keys, fault)) return false;
    server->admission.shared = server->pictures.shared = web->keys.count > 1;
    allow_descriptors();
    if (!open_socket(web, fault)) return false;
    if (!clients_open(&web->clients, o->patience))
        return fault_set(fault, "cannot start a thread");
    web->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
            MHD_USE_ITC,
        0, NULL, NULL, connection_take, web, MHD_OPTION_LISTEN_SOCKET, web->socket,
        MHD_OPTION_UNESCAPE_CALLBACK, web_unescape, web, MHD_OPTION_NOTIFY_COMPLETED,
        connection_end, web, MHD_OPTION_NOTIFY_CONNECTION, on_connection, web,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)o->connections,
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
    clients_close(&web->clients);
    keys_close(&web->keys);
    if (web->socket >= 0 && !web->daemon) close(web->socket);
}
