/* places.c - see places.h. */
#include "places.h"
#include "share.h"

#include <stdlib.h>

bool places_open(Places *p, size_t room, Fault *fault) {
    *p = (Places){calloc(room, sizeof *p->user), .room = room};
    return p->user || fault_set(fault, "no memory for %zu answers", room);
}

void places_close(Places *p) {
    free(p->user);
    *p = (Places){0};
}

size_t places_most(const Places *p) { return p->shared ? share_most(p->room) : p->room; }

static size_t held_by(const Places *p, uint64_t user) {
    size_t n = 0;
    for (size_t i = 0; i < p->taken; i++) n += p->user[i] == user;
    return n;
}

bool places_take(Places *p, uint64_t user, size_t n, Refusal *refusal) {
    const size_t held = p->shared ? held_by(p, user) : 0;
    if (p->taken + n > p->room)
        return refuse(refusal, 429, NULL, "the queue is full: %zu of %zu places are taken",
                      p->taken, p->room);
    if (p->shared && !share_allows(held, n, p->room - p->taken))
        return refuse(
            refusal, 429, NULL,
            "your key's share of the queue is full: it holds %zu of %zu places, %zu are free, "
            "and with %zu more it would hold more than stay free for others",
            held, p->room, p->room - p->taken, n);
    for (size_t i = 0; i < n; i++) p->user[p->taken++] = user;
    return true;
}

void places_leave(Places *p, uint64_t user) {
    size_t i = 0;
    while (p->user[i] != user) i++;
    p->user[i] = p->user[--p->taken];
}
