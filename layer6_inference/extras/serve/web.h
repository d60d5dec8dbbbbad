/* web.h - HTTP: sockets and limits.  Only the files of connection.h know libmicrohttpd.
 *
 * A thread of ours accepts connections, and hands them to the library, which has no way to let
 * them wait: at its limit it accepts and closes them.
 *
 * Invariant: a connection has limited time to send a request and to receive its answer, and
 * limited memory. */
#ifndef STRATA_WEB_H
#define STRATA_WEB_H

#include "request.h"
#include "keys.h"
#include "served_models.h"
#include "clients.h"

typedef struct Web {
    Models *models;
    const ServeOptions *options;
    Keys keys;
    Clients clients;
    struct MHD_Daemon *daemon;
    pthread_t acceptor;
    int socket;
    bool accepting;
    bool health;      /* the port of --health-port: only routes of that kind, without keys */
    char address[96]; /* "http://127.0.0.1:8080" */
} Web;

/* Listen.  Call web_close even if this fails.
 *
 *   health   at --health-port */
bool web_open(Web *web, Models *models, bool health, Fault *fault);

/* The first model is loaded: answer requests. */
void web_ready(Web *web);

/* Read the file of keys again.  If that fails, the old keys stay. */
bool web_reload(Web *web, Fault *fault);

/* Accept no new connections. */
void web_quiesce(Web *web);
void web_close(Web *web);

#endif
