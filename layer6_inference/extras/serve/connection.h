/* connection.h - one request and its answer: what the files share that know GNU libmicrohttpd.
 *
 *     web.c          sockets, connections, their limits
 *     connection.c   a request: head, body, answer
 *     body.c         its bytes
 *     head.c         heads that are refused whatever they ask for
 *     auth.c         who may send requests
 *     clients.c      connections that take too long
 *
 * Invariant: a request that its head already disqualifies is refused before its body is
 * read. */
#ifndef STRATA_CONNECTION_H
#define STRATA_CONNECTION_H

#include "dialect.h"
#include "web.h"

#include <microhttpd.h>

typedef struct Connection {
    Web *web;
    const Route *route;     /* NULL: none */
    const Dialect *dialect; /* of its errors */
    const char *rest;
    Bytes body;
    size_t held,
        answer_held; /* bytes of the body's room, and the answer's, by memory_limit.h */
    Reply reply;
    bool large;   /* the body is larger than allowed */
    bool starved; /* no memory for the body */
    double began;
    char id[65], method[16]; /* for the log and the client: letters, digits, - _ . */
    char host[256];          /* the name that the client calls this server by */
    bool closes;             /* the connection, after the answer */
    bool cut;                /* the client went, or the answer failed half-way */
    KeyLimits limits;        /* of the request's key */
    Client *client;
    Server *server; /* that it uses; NULL: none */
} Connection;

/* A header field, "" if missing. */
const char *connection_header(struct MHD_Connection *connection, const char *name);

/* Callbacks of libmicrohttpd: for each piece of a request, and at its end. */
enum MHD_Result connection_take(void *web, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *data,
                                size_t *size, void **state);
void connection_end(void *web, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code);

/* Refuse a head that a proxy may read differently (head.c).
 *
 *   *path   "http://host/path" becomes its path */
bool head_check(Connection *x, struct MHD_Connection *connection, const char *version,
                const char **path, HttpError *error);

/* Append to the body (body.c).  One that is too large, or for which there is no memory, is
 * dropped, and x->large or x->starved is set. */
void body_take(Connection *x, const char *data, size_t size);
void body_drop(Connection *x);

/* ------------------------------------------------------------------ auth.c */

/* The route of a path and the rest of the path; NULL: none. */
const Route *auth_route(const char *path, const char **rest);

/* All checks that need no body. */
bool auth_check(Connection *x, struct MHD_Connection *connection, const char *method,
                HttpError *error);

bool auth_allow_origin(const Web *web, const char *origin);

/* Is each --origin scheme://host, perhaps with :port, as browsers send it? */
bool auth_check_origins(const OptionList *origins, Fault *fault);

/* The request's API key; "": none. */
Text auth_key(struct MHD_Connection *connection);

#endif
