/* clients.c - see clients.h. */
#include "clients.h"

#include "clock.h"
#include "timed_wait.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static bool client_is_late(const Clients *clients, Client *p, double now) {
    if (!p->busy) return now - p->since > clients->patience;
    if (p->due == 0 && p->is_made && p->is_made(p->stream)) p->due = now + clients->patience;
    return p->due > 0 && now > p->due;
}

/* Shut sockets whose deadline has passed; their threads then see them closed. */
static void sweep(Clients *clients) {
    double now = clock_seconds();
    for (Client *p = clients->first; p; p = p->after)
        if (client_is_late(clients, p, now)) shutdown(p->socket, SHUT_RDWR);
}

static void *sweep_often(void *context) {
    Clients *clients = context;
    pthread_mutex_lock(&clients->lock);
    while (!clients->stopping) {
        timed_wait(&clients->wake, &clients->lock, 0.25);
        sweep(clients);
    }
    pthread_mutex_unlock(&clients->lock);
    return NULL;
}

bool clients_open(Clients *clients, size_t room, size_t each, double patience) {
    *clients = (Clients){.room = room, .each = each, .patience = patience};
    pthread_mutex_init(&clients->lock, NULL);
    timed_init(&clients->wake), pthread_cond_init(&clients->left, NULL);
    clients->running = pthread_create(&clients->sweeper, NULL, sweep_often, clients) == 0;
    return clients->running;
}

void clients_close(Clients *clients) {
    if (!clients->running) return;
    pthread_mutex_lock(&clients->lock);
    clients->stopping = true;
    pthread_cond_signal(&clients->wake);
    pthread_mutex_unlock(&clients->lock);
    pthread_join(clients->sweeper, NULL);
    pthread_mutex_destroy(&clients->lock);
    pthread_cond_destroy(&clients->wake), pthread_cond_destroy(&clients->left);
    clients->running = false;
}

uint64_t client_address(const struct sockaddr *address) {
    const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
    uint64_t first;
    if (address->sa_family == AF_INET)
        return ((const struct sockaddr_in *)address)->sin_addr.s_addr;
    if (IN6_IS_ADDR_V4MAPPED(six)) {
        uint32_t four;
        return memcpy(&four, six->s6_addr + 12, sizeof four), four;
    }
    return memcpy(&first, six, sizeof first), first;
}

/* The lock is held. */
static size_t clients_of(const Clients *clients, uint64_t address) {
    size_t n = 0;
    for (const Client *p = clients->first; p; p = p->after) n += p->address == address;
    return n;
}

/* The lock is held. */
static void clients_list(Clients *clients, Client *p) {
    p->after = clients->first;
    if (p->after) p->after->before = p;
    clients->first = p, clients->count++;
}

ClientEntry clients_admit(Clients *clients, int socket, uint64_t address) {
    Client *p = calloc(1, sizeof *p);
    if (!p) return CLIENT_NO_MEMORY;
    *p = (Client){.socket = socket, .address = address, .since = clock_seconds()};
    pthread_mutex_lock(&clients->lock);
    bool ok = clients_of(clients, address) < clients->each;
    while (ok && clients->count >= clients->room && !clients->shut)
        pthread_cond_wait(&clients->left, &clients->lock);
    ok &= !clients->shut;
    if (ok) clients_list(clients, p);
    pthread_mutex_unlock(&clients->lock);
    if (!ok) free(p);
    return ok ? CLIENT_LISTED : CLIENT_TOO_MANY;
}

void clients_shut(Clients *clients) {
    pthread_mutex_lock(&clients->lock);
    clients->shut = true;
    pthread_cond_signal(&clients->left);
    pthread_mutex_unlock(&clients->lock);
}

Client *client_find(Clients *clients, int socket) {
    pthread_mutex_lock(&clients->lock);
    Client *p = clients->first;
    while (p && p->socket != socket) p = p->after;
    pthread_mutex_unlock(&clients->lock);
    return p;
}

void client_remove(Clients *clients, Client *p) {
    if (!p) return;
    pthread_mutex_lock(&clients->lock);
    *(p->before ? &p->before->after : &clients->first) = p->after;
    if (p->after) p->after->before = p->before;
    clients->count--;
    pthread_cond_signal(&clients->left);
    pthread_mutex_unlock(&clients->lock);
    free(p);
}

void client_busy(Clients *clients, Client *p, bool busy) {
    pthread_mutex_lock(&clients->lock);
    p->busy = busy, p->since = clock_seconds();
    p->due = 0, p->is_made = NULL;
    pthread_mutex_unlock(&clients->lock);
}

void client_reads(Clients *clients, Client *p, size_t bytes) {
    pthread_mutex_lock(&clients->lock);
    p->due = clock_seconds() + clients->patience + (double)bytes / CLIENT_RATE;
    pthread_mutex_unlock(&clients->lock);
}

void client_streams(Clients *clients, Client *p, bool (*is_made)(void *), void *stream) {
    pthread_mutex_lock(&clients->lock);
    p->is_made = is_made, p->stream = stream;
    pthread_mutex_unlock(&clients->lock);
}

void client_has_read(Clients *clients, Client *p, size_t bytes) {
    pthread_mutex_lock(&clients->lock);
    if (p->due > 0) p->due += (double)bytes / CLIENT_RATE;
    pthread_mutex_unlock(&clients->lock);
}

bool clients_any_busy(Clients *clients) {
    bool any = false;
    pthread_mutex_lock(&clients->lock);
    for (const Client *p = clients->first; p && !any; p = p->after) any = p->busy;
    pthread_mutex_unlock(&clients->lock);
    return any;
}

static bool has_state(int socket, short state) {
    struct pollfd p = {.fd = socket, .events = POLLRDHUP};
    return poll(&p, 1, 0) == 1 && (p.revents & state);
}

bool client_is_hung_up(const Client *p) {
    return has_state(p->socket, POLLERR | POLLHUP | POLLNVAL);
}

bool client_wants_probe(Client *p) {
    double now = clock_seconds();
    if (!has_state(p->socket, POLLRDHUP) || now - p->probed < CLIENT_POLL) return false;
    p->probed = now;
    return true;
}

bool client_is_gone(void *context) {
    static const char probe[] = "HTTP/1.1 102 Processing\r\n\r\n";
    Client *p = context;
    if (client_is_hung_up(p)) return true;
    if (!p->old && client_wants_probe(p))
        (void)!send(p->socket, probe, sizeof probe - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return false;
}
