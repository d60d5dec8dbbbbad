/* connection.h - one request and its answer: what the files share that know GNU libmicrohttpd.
 *
 *     web.c          sockets, connections, their limits
 *     connection.c   a request: head, body, answer
 *     auth.c         who may send requests
 *     clients.c      connections that take too long
 *
 * Invariant: a request that its head already disqualifies is refused before its body is
 * read. */
#ifndef STRATA_CONNECTION_H
#define STRATA_CONNECTION_H

#include "web.h"

#include <microhttpd.h>

typedef struct Connection {
    Web *web;
    const Route *route; /* NULL: none */
    const char *rest;
    Bytes body;
    Reply reply;
    bool large; /* the body is larger than allowed */
    double began;
    Client *client;
} Connection;

/* A header field, "" if missing. */
const char *connection_header(struct MHD_Connection *connection, const char *name);

/* Callbacks of libmicrohttpd: for each piece of a request, and at its end. */
enum MHD_Result connection_take(void *web, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *data,
                                size_t *size, void **state);
void connection_end(void *web, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code);

/* ------------------------------------------------------------------ auth.c */

/* The route of a path and the rest of the path; NULL: none. */
const Route *auth_route(const char *path, const char **rest);

/* All checks that need no body. */
bool auth_check(const Connection *x, struct MHD_Connection *connection, const char *method,
                HttpError *error);

bool auth_allow_origin(const Web *web, const char *origin);

/* Is each --origin scheme://host, perhaps with :port, as browsers send it? */
bool auth_check_origins(const OptionList *origins, Fault *fault);

/* The request's API key; "": none. */
Text auth_key(struct MHD_Connection *connection);

#endif
