/* peers.c - see peers.h. */
#include "peers.h"

#include "clock.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

/* Shut what has had its time; its thread then finds the socket closed. */
static void sweep(Peers *peers) {
    double now = clock_seconds();
    for (Peer *p = peers->first; p; p = p->after)
        if (!p->busy && now - p->since > peers->patience) shutdown(p->socket, SHUT_RDWR);
}

static void *sweep_often(void *context) {
    Peers *peers = context;
    pthread_mutex_lock(&peers->lock);
    while (!peers->stopping) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 250000000;
        until.tv_sec += until.tv_nsec / 1000000000, until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&peers->wake, &peers->lock, &until);
        sweep(peers);
    }
    pthread_mutex_unlock(&peers->lock);
    return NULL;
}

bool peers_open(Peers *peers, double patience) {
    *peers = (Peers){.patience = patience};
    pthread_mutex_init(&peers->lock, NULL);
    pthread_cond_init(&peers->wake, NULL);
    peers->running = pthread_create(&peers->sweeper, NULL, sweep_often, peers) == 0;
    return peers->running;
}

void peers_close(Peers *peers) {
    if (!peers->running) return;
    pthread_mutex_lock(&peers->lock);
    peers->stopping = true;
    pthread_cond_signal(&peers->wake);
    pthread_mutex_unlock(&peers->lock);
    pthread_join(peers->sweeper, NULL);
    pthread_mutex_destroy(&peers->lock), pthread_cond_destroy(&peers->wake);
    peers->running = false;
}

Peer *peer_add(Peers *peers, int socket) {
    Peer *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->socket = socket, p->since = clock_seconds();
    pthread_mutex_lock(&peers->lock);
    p->after = peers->first;
    if (p->after) p->after->before = p;
    peers->first = p;
    pthread_mutex_unlock(&peers->lock);
    return p;
}

void peer_remove(Peers *peers, Peer *p) {
    if (!p) return;
    pthread_mutex_lock(&peers->lock);
    *(p->before ? &p->before->after : &peers->first) = p->after;
    if (p->after) p->after->before = p->before;
    pthread_mutex_unlock(&peers->lock);
    free(p);
}

void peer_busy(Peers *peers, Peer *p, bool busy) {
    pthread_mutex_lock(&peers->lock);
    p->busy = busy, p->since = clock_seconds();
    pthread_mutex_unlock(&peers->lock);
}

bool peers_any_busy(Peers *peers) {
    bool any = false;
    pthread_mutex_lock(&peers->lock);
    for (const Peer *p = peers->first; p && !any; p = p->after) any = p->busy;
    pthread_mutex_unlock(&peers->lock);
    return any;
}

static bool has_state(int socket, short state) {
    struct pollfd p = {.fd = socket, .events = POLLRDHUP};
    return poll(&p, 1, 0) == 1 && (p.revents & state);
}

bool peer_is_hung_up(const Peer *p) {
    return has_state(p->socket, POLLERR | POLLHUP | POLLNVAL);
}

bool peer_wants_probe(Peer *p) {
    double now = clock_seconds();
    if (!has_state(p->socket, POLLRDHUP) || now - p->probed < 0.5) return false;
    p->probed = now;
    return true;
}

bool peer_is_gone(void *context) {
    static const char probe[] = "HTTP/1.1 102 Processing\r\n\r\n";
    Peer *p = context;
    if (peer_is_hung_up(p)) return true;
    if (!p->old && peer_wants_probe(p))
        (void)!send(p->socket, probe, sizeof probe - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return false;
}
