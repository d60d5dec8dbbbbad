/* web.h - HTTP: sockets, limits, who may ask.  Only the files of connection.h know the library which speaks it.
 *
 * Invariant: a connection has so many seconds to send a request and to take what is sent to it, and holds
 * no more memory than its limits say. */
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

/* Listen.  web_close may be called when that fails, too. */
bool web_open(Web *web, Server *server, Fault *fault);

/* Take no new connections. */
void web_quiesce(Web *web);
void web_close(Web *web);

#endif
