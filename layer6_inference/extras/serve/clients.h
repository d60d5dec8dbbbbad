/* clients.h - open connections, and how long each has been sending a request.
 *
 * An idle timeout never closes a client that sends a byte now and then.  So each connection
 * has a deadline from its opening, or its last answer, to the end of its next request.
 *
 * Invariant: a listed client has an open socket. */
#ifndef STRATA_CLIENTS_H
#define STRATA_CLIENTS_H

#include <pthread.h>
#include <stdbool.h>

typedef struct Client {
    int socket;
    double since;  /* start of the wait for a request */
    double probed; /* last check whether it is still connected */
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

/* NULL: no memory. */
Client *client_add(Clients *clients, int socket);
void client_remove(Clients *clients, Client *client);

/* Its request is complete; or its answer is, and the next request may come. */
void client_busy(Clients *clients, Client *client, bool busy);

/* Is any client waiting for the rest of an answer? */
bool clients_any_busy(Clients *clients);

/* Has a busy client disconnected?  A half-closed socket is no disconnect: an interim answer
 * (102) is sent, and a closed socket replies with a reset. */
bool client_is_gone(void *client);

/* Is its socket broken? */
bool client_is_hung_up(const Client *client);

/* Is it time for a stream to check by sending something? */
bool client_wants_probe(Client *client);

#endif
