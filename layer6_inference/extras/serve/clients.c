/* clients.c - see clients.h. */
#include "clients.h"

#include "clock.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

/* Shut sockets whose deadline has passed; their threads then see them closed. */
static void sweep(Clients *clients) {
    double now = clock_seconds();
    for (Client *p = clients->first; p; p = p->after)
        if (!p->busy && now - p->since > clients->patience) shutdown(p->socket, SHUT_RDWR);
}

static void *sweep_often(void *context) {
    Clients *clients = context;
    pthread_mutex_lock(&clients->lock);
    while (!clients->stopping) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 250000000;
        until.tv_sec += until.tv_nsec / 1000000000, until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&clients->wake, &clients->lock, &until);
        sweep(clients);
    }
    pthread_mutex_unlock(&clients->lock);
    return NULL;
}

bool clients_open(Clients *clients, double patience) {
    *clients = (Clients){.patience = patience};
    pthread_mutex_init(&clients->lock, NULL);
    pthread_cond_init(&clients->wake, NULL);
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
    pthread_mutex_destroy(&clients->lock), pthread_cond_destroy(&clients->wake);
    clients->running = false;
}

Client *client_add(Clients *clients, int socket) {
    Client *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->socket = socket, p->since = clock_seconds();
    pthread_mutex_lock(&clients->lock);
    p->after = clients->first;
    if (p->after) p->after->before = p;
    clients->first = p;
    pthread_mutex_unlock(&clients->lock);
    return p;
}

void client_remove(Clients *clients, Client *p) {
    if (!p) return;
    pthread_mutex_lock(&clients->lock);
    *(p->before ? &p->before->after : &clients->first) = p->after;
    if (p->after) p->after->before = p->before;
    pthread_mutex_unlock(&clients->lock);
    free(p);
}

void client_busy(Clients *clients, Client *p, bool busy) {
    pthread_mutex_lock(&clients->lock);
    p->busy = busy, p->since = clock_seconds();
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
    if (!has_state(p->socket, POLLRDHUP) || now - p->probed < 0.5) return false;
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
