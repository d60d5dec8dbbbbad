/* peers.h - the connections there are, and how long each has been sending a request.
 *
 * A client that sends a byte now and then is never idle, so an idle time does not rid us of it: what a
 * connection has is a deadline, from its opening or its last answer to the end of its next request.
 *
 * Invariant: a peer that is in the list has an open socket. */
#ifndef STRATA_PEERS_H
#define STRATA_PEERS_H

#include <pthread.h>
#include <stdbool.h>

typedef struct Peer {
    int socket;
    double since;  /* when it began to wait for a request */
    double probed; /* when it was asked whether it is still there */
    bool busy;     /* its request is being answered */
    bool old;      /* speaks HTTP 1.0: knows no interim answers */
    struct Peer *before, *after;
} Peer;

typedef struct Peers {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t sweeper;
    Peer *first;
    double patience; /* seconds */
    bool running, stopping;
} Peers;

bool peers_open(Peers *peers, double patience);
void peers_close(Peers *peers);

/* NULL when memory runs out. */
Peer *peer_add(Peers *peers, int socket);
void peer_remove(Peers *peers, Peer *peer);

/* Its request is complete; or its answer is, and the next request may come. */
void peer_busy(Peers *peers, Peer *peer, bool busy);

/* Does any wait for the rest of an answer? */
bool peers_any_busy(Peers *peers);

/* Has the client of a busy peer gone?  One that has only finished sending is not gone: it is asked, by an
 * interim answer (102), and a socket that nobody holds any more answers with a reset. */
bool peer_is_gone(void *peer);

/* Is its socket broken? */
bool peer_is_hung_up(const Peer *peer);

/* A stream asks by what it sends: is it time to? */
bool peer_wants_probe(Peer *peer);

#endif
