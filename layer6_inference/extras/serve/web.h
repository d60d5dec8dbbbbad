/* web.h - HTTP: sockets and limits.  Only the files of connection.h know libmicrohttpd.
 *
 * Invariant: a connection has limited time to send a request and to receive its answer, and
 * limited memory. */
#ifndef STRATA_WEB_H
#define STRATA_WEB_H

#include "request.h"
#include "keys.h"
#include "clients.h"

typedef struct Web {
    Server *server;
    const ServeOptions *options;
    Keys keys;
    Clients clients;
    struct MHD_Daemon *daemon;
    int socket;
    bool loopback;
    char address[96]; /* "http://127.0.0.1:8080" */
} Web;

/* Listen.  Call web_close even if this fails. */
bool web_open(Web *web, Server *server, Fault *fault);

/* Accept no new connections. */
void web_quiesce(Web *web);
void web_close(Web *web);

#endif
