/* clients.h - the connections there are, and how long each has been sending a request.
 *
 * A client that sends a byte now and then is never idle, so an idle time does not rid us of it: what a
 * connection has is a deadline, from its opening or its last answer to the end of its next request.
 *
 * Invariant: a peer that is in the list has an open socket. */
#ifndef STRATA_CLIENTS_H
#define STRATA_CLIENTS_H

#include <pthread.h>
#include <stdbool.h>

typedef struct Client {
    int socket;
    double since;  /* when it began to wait for a request */
    double probed; /* when it was asked whether it is still there */
    bool busy;     /* its request is being answered */
    bool old;      /* speaks HTTP 1.0: knows no interim answers */
    struct Client *before, *after;
} Client;

typedef struct Clients {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t sweeper;
    Client *first;
    double patience; /* seconds */
    bool running, stopping;
} Clients;

bool clients_open(Clients *clients, double patience);
void clients_close(Clients *clients);

/* NULL when memory runs out. */
Client *client_add(Clients *clients, int socket);
void client_remove(Clients *clients, Client *client);

/* Its request is complete; or its answer is, and the next request may come. */
void client_busy(Clients *clients, Client *client, bool busy);

/* Does any wait for the rest of an answer? */
bool clients_any_busy(Clients *clients);

/* Has the client of a busy peer gone?  One that has only finished sending is not gone: it is asked, by an
 * interim answer (102), and a socket that nobody holds any more answers with a reset. */
bool client_is_gone(void *client);

/* Is its socket broken? */
bool client_is_hung_up(const Client *client);

/* A stream asks by what it sends: is it time to? */
bool client_wants_probe(Client *client);

#endif
