/* clients.h - open connections: how many, of which address, and how long each has been sending
 * a request.
 *
 * An idle timeout never closes a client that sends a byte now and then.  So each connection
 * has a deadline from its opening, or its last answer, to the end of its next request.  Nor
 * does it close one that reads a byte now and then.  So an answer that is made has a deadline,
 * too: as long again, and a second for each CLIENT_RATE bytes.
 *
 * An address is an IPv4 address, or the first 64 bits of an IPv6 one: one customer has them
 * all.
 *
 * Invariant: a listed client has an open socket. */
#ifndef STRATA_CLIENTS_H
#define STRATA_CLIENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Seconds between two looks whether a client is still connected: two of them, a probe and its
 * reset, are less than a tenth of a second. */
#define CLIENT_POLL 0.04

/* Bytes of an answer that a client must read in a second. */
#define CLIENT_RATE 65536.0

typedef struct Client {
    int socket;
    uint64_t address;
    double since;  /* start of the wait for a request */
    double probed; /* last check whether it is still connected */
    bool busy;     /* its request is being answered */
    bool old;      /* speaks HTTP 1.0: knows no interim answers */
    double due;    /* when its answer must have been read; 0: it is not made yet */
    bool (*is_made)(void *stream); /* of an answer that is sent while it is made */
    void *stream;
    struct Client *before, *after;
} Client;

typedef struct Clients {
    pthread_mutex_t lock;
    pthread_cond_t wake, left;
    pthread_t sweeper;
    Client *first;
    size_t count, room, each; /* clients; at most, and of one address */
    double patience;          /* seconds */
    bool running, stopping, shut;
} Clients;

/*   room   most clients
 *   each   most of one address */
bool clients_open(Clients *clients, size_t room, size_t each, double patience);
void clients_close(Clients *clients);

uint64_t client_address(const struct sockaddr *address);

typedef enum ClientEntry { CLIENT_LISTED, CLIENT_TOO_MANY, CLIENT_NO_MEMORY } ClientEntry;

/* Wait until there is room for one more, and list it.  Too many: of its address, or the server
 * closes its doors. */
ClientEntry clients_admit(Clients *clients, int socket, uint64_t address);

/* Admit no more: ends the wait. */
void clients_shut(Clients *clients);

/* The listed client of a socket; NULL: none. */
Client *client_find(Clients *clients, int socket);
void client_remove(Clients *clients, Client *client);

/* Its request is complete; or its answer is, and the next request may come. */
void client_busy(Clients *clients, Client *client, bool busy);

/* Its answer of so many bytes is made. */
void client_reads(Clients *clients, Client *client, size_t bytes);

/* Its answer is made while it reads, until is_made says so. */
void client_streams(Clients *clients, Client *client, bool (*is_made)(void *), void *stream);

/* It has read so many bytes of that. */
void client_has_read(Clients *clients, Client *client, size_t bytes);

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
