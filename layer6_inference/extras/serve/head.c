/* head.c - heads of requests that two programs may read differently.  See connection.h.
 *
 *     Content-Length: 2          a proxy that takes the first length and a server that takes
 *     Content-Length: 42         the second disagree where the request ends: what one reads
 *                                as a body is the next request to the other (RFC 9112, 11.2)
 *
 * The library itself refuses lengths and chunks that are no number, lines without a colon, and
 * heads that are too long, with a page of HTML; it sees those before we do.  It ends lines at a
 * bare LF, too, and joins folded ones, as RFC 9112 (2.2, 5.2) allows, and it cuts a value at a
 * zero byte; the check below sees what it made of them. */
#include "connection.h"

#include <string.h>
#include <strings.h>

/* What the fields of a head are counted and checked for. */
typedef struct Head {
    size_t lengths, encodings, hosts;
    bool chunked; /* its only transfer coding */
    const char *host, *wrong;
} Head;

static bool is_token(const char *text, size_t size) {
    static const char allowed[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return size > 0 && strspn(text, allowed) == size;
}

/* A bare CR ends a line for some programs. */
static bool is_value(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' ? text[i] != '\t' : text[i] == 127) return false;
    return true;
}

static enum MHD_Result head_read(void *context, enum MHD_ValueKind kind, const char *name,
                                 size_t name_size, const char *value, size_t size) {
    Head *h = context;
    (void)kind;
    const char *text = value ? value : "";
    if (!is_token(name, name_size))
        h->wrong = "a field's name has a byte that is not allowed";
    else if (!is_value(text, size))
        h->wrong = "a field's value has a control character";
    if (strcasecmp(name, "Content-Length") == 0) h->lengths++;
    if (strcasecmp(name, "Host") == 0) h->hosts++, h->host = text;
    if (strcasecmp(name, "Transfer-Encoding") == 0)
        h->encodings++, h->chunked = strcasecmp(text, "chunked") == 0;
    return h->wrong ? MHD_NO : MHD_YES;
}

/* "http://localhost:8080/health" names its host; RFC 9112, 3.2.2: the field Host is ignored. */
static const char *head_path(Connection *x, const char *path) {
    const size_t scheme = strncasecmp(path, "http://", 7) == 0    ? 7
                          : strncasecmp(path, "https://", 8) == 0 ? 8
                                                                  : 0;
    const char *rest = scheme ? path + scheme + strcspn(path + scheme, "/") : path;
    if (scheme)
        snprintf(x->host, sizeof x->host, "%.*s", (int)(rest - path - (long)scheme),
                 path + scheme);
    return *rest ? rest : "/";
}

bool head_check(Connection *x, struct MHD_Connection *c, const char *version, const char **path,
                HttpError *error) {
    Head h = {.host = ""};
    MHD_get_connection_values_n(c, MHD_HEADER_KIND, head_read, &h);
    x->closes = true;
    if (h.wrong) return http_error(error, 400, NULL, "the head of the request: %s", h.wrong);
    if (h.hosts > 1 || (h.hosts == 0 && strcmp(version, "HTTP/1.1") == 0))
        return http_error(error, 400, NULL, "%zu fields Host: wanted one", h.hosts);
    if (h.lengths > 1 || (h.lengths && h.encodings))
        return http_error(error, 400, NULL,
                          "%zu fields Content-Length and %zu Transfer-Encoding: wanted one",
                          h.lengths, h.encodings);
    if (h.encodings && strcmp(version, "HTTP/1.1") != 0) /* RFC 9112, 6.1 */
        return http_error(error, 400, NULL, "Transfer-Encoding: belongs to HTTP/1.1, got %.20s",
                          version);
    if (h.encodings > 1 || (h.encodings && !h.chunked))
        return http_error(error, 501, NULL, "Transfer-Encoding: wanted chunked, and once");
    if (strlen(h.host) >= sizeof x->host)
        return http_error(error, 400, NULL, "Host has more than %zu bytes", sizeof x->host - 1);
    strcpy(x->host, h.host);
    *path = head_path(x, *path);
    x->closes = false;
    return true;
}
