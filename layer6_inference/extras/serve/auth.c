/* auth.c - who may send requests: hosts, origins, keys, methods, bodies.  See connection.h. */
#include "connection.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const Route *auth_route(const char *path, const char **rest) {
    for (size_t i = 0; i < n_routes; i++) {
        size_t n = strlen(routes[i].path);
        if (strncmp(path, routes[i].path, n) != 0) continue;
        *rest = path + n;
        if (!**rest || ((routes[i].flags & ROUTE_TREE) && **rest == '/')) return &routes[i];
    }
    return NULL;
}

bool auth_allow_origin(const Web *web, const char *origin) {
    const OptionList *list = &web->options->origins;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], origin) == 0) return true;
    return false;
}

bool auth_check_origins(const OptionList *list, Fault *fault) {
    for (size_t i = 0; i < list->count; i++) {
        const char *scheme = strstr(list->items[i], "://"), *host = scheme ? scheme + 3 : "";
        if (!*host || scheme == list->items[i] || strpbrk(host, "/?#@ *"))
            return fault_set(fault,
                             "--origin %.200s: wanted scheme://host, perhaps with :port, as "
                             "https://example.com",
                             list->items[i]);
    }
    return true;
}

/* This server's own page, or an allowed origin. */
static bool origin_is_allowed(const Web *web, const char *origin, const char *host) {
    const char *name = strstr(origin, "://");
    return !*origin || (name && strcmp(name + 3, host) == 0) || auth_allow_origin(web, origin);
}

Text auth_key(struct MHD_Connection *c) {
    const char *given = connection_header(c, "Authorization");
    if (strncasecmp(given, "Bearer ", 7) != 0)
        return text_of(connection_header(c, "X-Api-Key")); /* as Anthropic's clients send it */
    return text_of(given + 7 + strspn(given + 7, " "));
}

static bool is_name(const char *name, size_t size, const char *host) {
    return strlen(host) == size && strncasecmp(name, host, size) == 0;
}

/* An IPv4 address. */
static bool is_address(const char *name, size_t size) {
    char copy[INET_ADDRSTRLEN];
    struct in_addr address;
    if (size >= sizeof copy) return false;
    snprintf(copy, sizeof copy, "%.*s", (int)size, name);
    return inet_pton(AF_INET, copy, &address) == 1;
}

/* Against DNS rebinding: a foreign page's host name may resolve to this machine, and then its
 * scripts may read our answers.  Such a name is neither an address, which needs no lookup, nor
 * one that belongs to this server. */
static bool auth_is_here(const Web *web, const char *host) {
    const OptionList *list = &web->options->hosts;
    char own[256] = "";
    size_t n = strcspn(host[0] == '[' ? "" : host, ":");
    if (!*host || host[0] == '[' || is_address(host, n)) return true;
    n -= n && host[n - 1] == '.'; /* the root's: the same name */
    if (gethostname(own, sizeof own - 1) == 0 && is_name(host, n, own)) return true;
    for (size_t i = 0; i < list->count; i++)
        if (is_name(host, n, list->items[i])) return true;
    return is_name(host, n, "localhost") || is_name(host, n, web->options->host);
}

static bool check_method(const Connection *x, const char *method, HttpError *error) {
    const char *wanted = x->route->method;
    if (strcmp(method, wanted) == 0 ||
        (strcmp(wanted, "GET") == 0 && strcmp(method, "HEAD") == 0))
        return true;
    return http_error(error, 405, NULL, "%s takes %s", x->route->path, wanted);
}

static bool check_body(const Connection *x, struct MHD_Connection *c, HttpError *error) {
    const char *type = connection_header(c, "Content-Type"),
               *packed = connection_header(c, "Content-Encoding");
    const size_t most = (size_t)x->web->options->body << 10;
    const double length = strtod(connection_header(c, "Content-Length"), NULL);
    if (strcmp(x->route->method, "POST") != 0) return true;
    if (length > (double)most)
        return http_error(error, 413, NULL, "the body has %.0f bytes, more than %zu", length,
                          most);
    if (*packed && strcasecmp(packed, "identity") != 0)
        return http_error(error, 415, NULL, "Content-Encoding is '%.60s': wanted identity",
                          packed);
    return strncasecmp(type, "application/json", 16) == 0 ||
           http_error(error, 415, NULL, "Content-Type is '%.60s': wanted application/json",
                      type);
}

bool auth_check(Connection *x, struct MHD_Connection *c, const char *method, HttpError *error) {
    Web *web = x->web;
    const bool health = x->route && x->route->flags & ROUTE_HEALTH;
    if (!web->keys.path && !(health && x->route->flags & ROUTE_OPEN) && !web->health &&
        !auth_is_here(web, x->host))
        return http_error(
            error, 403, NULL,
            "the host name '%.100s' is not this server's: start it with --allow-host "
            "%.100s, or with --keys",
            x->host, x->host);
    if (strcmp(method, "POST") == 0 &&
        !origin_is_allowed(web, connection_header(c, "Origin"), x->host))
        return http_error(error, 403, NULL,
                          "this origin is not allowed: start the server with --origin");
    if (!health && !atomic_load(&web->models->ready))
        return http_error(error, 503, NULL, "the model is being loaded");
    if (!x->route || (web->health && !health))
        return http_error(error, 404, NULL, "no such path");
    return ((x->route->flags & ROUTE_OPEN) || keys_find(&web->keys, auth_key(c), &x->limits) ||
            http_error(error, 401, NULL,
                       "missing or wrong API key: wanted Authorization: Bearer KEY")) &&
           check_method(x, method, error) && check_body(x, c, error);
}
