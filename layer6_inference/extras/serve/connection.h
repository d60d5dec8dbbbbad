/* connection.h - one request on its way in, and its answer on the way out: what the files share that know the library which
 * speaks HTTP (GNU libmicrohttpd).
 *
 *     web.c        sockets, connections, limits of them
 *     connection.c   a request: head, body, answer
 *     auth.c     who may ask what
 *     clients.c      who has been silent for too long
 *
 * Invariant: a request is refused at its head, where that is enough to know it: its body is not read then. */
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

/* A field of the head; "" when it is not there. */
const char *connection_header(struct MHD_Connection *connection, const char *name);

/* What the library calls, for each piece of a request and at its end. */
enum MHD_Result connection_take(void *web, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *data,
                                size_t *size, void **state);
void connection_end(void *web, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code);

/* ------------------------------------------------------------------ who may ask what (auth.c) */

/* The route of a path, and what follows it; NULL: there is none. */
const Route *auth_route(const char *path, const char **rest);

/* All that can be said before the body is read. */
bool auth_check(const Connection *x, struct MHD_Connection *connection,
                const char *method, HttpError *error);

/* Was the server told that pages of this origin may ask? */
bool auth_allow_origin(const Web *web, const char *origin);

/* Is each --origin one: scheme://host, perhaps :port, and nothing behind it?  A browser sends just that. */
bool auth_check_origins(const OptionList *origins, Fault *fault);

/* The key that a request comes with; empty: none. */
Text auth_key(struct MHD_Connection *connection);

#endif
