/* admission.c - see admission.h. */
#include "admission.h"
#include "share.h"

#include <stdlib.h>

bool admission_open(Admission *p, size_t room, Fault *fault) {
    *p = (Admission){calloc(room, sizeof *p->user), .room = room, .shared = p->shared};
    return p->user || fault_set(fault, "no memory for %zu answers", room);
}

void admission_close(Admission *p) {
    free(p->user);
    *p = (Admission){.shared = p->shared};
}

size_t admission_most(const Admission *p) { return p->shared ? share_most(p->room) : p->room; }

size_t admission_held(const Admission *p, uint64_t user) {
    size_t n = 0;
    for (size_t i = 0; i < p->taken; i++) n += p->user[i] == user;
    return n;
}

bool admission_take(Admission *p, uint64_t user, size_t n, size_t most, size_t elsewhere,
                    HttpError *error) {
    const size_t held = p->shared || most ? admission_held(p, user) : 0;
    if (most && held + elsewhere + n > most)
        return http_error(error, 429, NULL, "this key holds %zu slots, and may hold %zu",
                          held + elsewhere, most);
    if (p->taken + n > p->room)
        return http_error(error, 429, NULL, "the queue is full: %zu of %zu slots are taken",
                          p->taken, p->room);
    if (p->shared && !share_allows(held, n, p->room - p->taken))
        return http_error(error, 429, NULL,
                          "this key's share of the queue is full: it holds %zu of %zu slots, "
                          "%zu are free, and with %zu more it would hold more than stay free",
                          held, p->room, p->room - p->taken, n);
    for (size_t i = 0; i < n; i++) p->user[p->taken++] = user;
    return true;
}

void admission_leave(Admission *p, uint64_t user) {
    size_t i = 0;
    while (p->user[i] != user) i++;
    p->user[i] = p->user[--p->taken];
}
