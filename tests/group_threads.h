/* group_threads.h - a group whose members are threads of this process.  See group.h.
 *
 * A queue for each pair: the sender appends a copy, the receiver takes the first. */
#ifndef STRATA_GROUP_THREADS_H
#define STRATA_GROUP_THREADS_H

#include "clock.h"
#include "group.h"
#include "timed_wait.h"

#include <stdlib.h>
#include <string.h>

typedef struct Letter {
    struct Letter *next;
    size_t size;
    unsigned char bytes[];
} Letter;

typedef struct Hall {
    pthread_mutex_t lock;
    pthread_cond_t came;
    int members; /* that are open */
    bool gone[GROUP_MAX];
    Letter **first; /* (size, size) the letters of a pair; owns */
} Hall;

static inline Letter **box_of(const Group *group, int from, int to) {
    return &((Hall *)group->state)->first[from * group->size + to];
}

static inline bool threads_send(Group *group, int to, const void *bytes, size_t size,
                                double seconds, Fault *fault) {
    (void)seconds;
    Hall *hall = group->state;
    Letter *letter = malloc(sizeof *letter + size), **at;
    if (!letter) return fault_set(fault, "no memory for a message of %zu bytes", size);
    letter->next = NULL, letter->size = size;
    if (size) memcpy(letter->bytes, bytes, size);
    pthread_mutex_lock(&hall->lock);
    for (at = box_of(group, group->rank, to); *at;) at = &(*at)->next;
    *at = letter;
    pthread_cond_broadcast(&hall->came);
    pthread_mutex_unlock(&hall->lock);
    return true;
}

static inline bool threads_wait(Group *group, int from, size_t *size, double seconds,
                                Fault *fault) {
    Hall *hall = group->state;
    double end = clock_seconds() + seconds;
    pthread_mutex_lock(&hall->lock);
    Letter **box = box_of(group, from, group->rank);
    bool in_time = true;
    while (!*box && !hall->gone[from] && in_time)
        in_time = timed_wait(&hall->came, &hall->lock, end - clock_seconds());
    Letter *letter = *box;
    if (letter) *size = letter->size;
    bool gone = hall->gone[from];
    pthread_mutex_unlock(&hall->lock);
    if (letter) return true;
    return gone ? fault_set(fault, "machine %d of %d is gone", from + 1, group->size)
                : fault_set(fault, "machine %d of %d has not answered for %.3g s", from + 1,
                            group->size, seconds);
}

static inline bool threads_take(Group *group, int from, void *bytes, size_t size,
                                double seconds, Fault *fault) {
    (void)seconds, (void)fault;
    Hall *hall = group->state;
    pthread_mutex_lock(&hall->lock);
    Letter **box = box_of(group, from, group->rank), *letter = *box;
    *box = letter->next;
    pthread_mutex_unlock(&hall->lock);
    memcpy(bytes, letter->bytes, size);
    free(letter);
    return true;
}

static inline void hall_free(Hall *hall, int size) {
    for (int i = 0; i < size * size; i++)
        for (Letter *letter = hall->first[i], *next; letter; letter = next)
            next = letter->next, free(letter);
    pthread_cond_destroy(&hall->came), pthread_mutex_destroy(&hall->lock);
    free(hall->first), free(hall);
}

static inline void threads_close(Group *group) {
    Hall *hall = group->state;
    pthread_mutex_lock(&hall->lock);
    bool last = --hall->members == 0;
    hall->gone[group->rank] = true;
    pthread_cond_broadcast(&hall->came);
    pthread_mutex_unlock(&hall->lock);
    if (last) hall_free(hall, group->size);
}

static const GroupKind group_of_threads = {.name = "threads",
                                           .send = threads_send,
                                           .wait = threads_wait,
                                           .take = threads_take,
                                           .close = threads_close};

/* `members` (size) are opened, each for a thread.  Close all of them; the last one frees what they share. */
static inline bool group_threads(Group *members, int size, Fault *fault) {
    REQUIRE(size >= 1 && size <= GROUP_MAX, "a group of %d members", size);
    Hall *hall = calloc(1, sizeof *hall);
    if (hall) hall->first = calloc((size_t)size * (size_t)size, sizeof *hall->first);
    if (!hall || !hall->first)
        return free(hall), fault_set(fault, "no memory for a group of %d", size);
    hall->members = size;
    pthread_mutex_init(&hall->lock, NULL), timed_init(&hall->came);
    for (int i = 0; i < size; i++) members[i] = (Group){&group_of_threads, i, size, hall};
    return true;
}

#endif
