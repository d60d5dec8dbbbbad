/* group.h - messages between the members of a group: machines of a network, or threads.
 *
 *     member 0 ---send--> member 1        messages arrive whole and in order;
 *              <--send---                 every wait has a limit
 *
 * MPI carries them (group_mpi.c), for `mpirun -n 4 strata ...`; in tests the members are the
 * threads of one process (tests/group_threads.h).
 *
 * Several threads may send at a time; one receives.
 *
 * Invariant: no function waits longer than its caller said; then the fault names the member
 * [waits_end]. */
#ifndef STRATA_GROUP_H
#define STRATA_GROUP_H

#include "fault.h"

#include <stddef.h>

enum { GROUP_MAX = 1000 };

typedef struct Group Group;

/* How messages travel. */
typedef struct GroupKind {
    const char *name;
    /* Give a message away; `bytes` is free again afterwards. */
    bool (*send)(Group *group, int to, const void *bytes, size_t size, double seconds,
                 Fault *fault);
    /* Wait for a message, and say how long it is; then take it. */
    bool (*wait)(Group *group, int from, size_t *size, double seconds, Fault *fault);
    bool (*take)(Group *group, int from, void *bytes, size_t size, double seconds,
                 Fault *fault);
    void (*close)(Group *group);
    void (*abort)(int status); /* end all members, those that wait as well; or NULL */
} GroupKind;

struct Group {
    const GroupKind *kind;
    int rank, size;
    void *state; /* of the kind */
};

/* Send a message to a member.  Fails when it does not take it within `seconds`. */
bool group_send(Group *group, int to, const void *bytes, size_t size, double seconds,
                Fault *fault);

/* A received message. */
typedef struct GroupMessage {
    unsigned char *bytes; /* (size) owns; kept for the next one */
    size_t size, room;
} GroupMessage;

/* Wait for the next message of a member.
 *
 *   seconds   INFINITY: for ever
 *
 * Fails when none comes in time, when there is no memory for it, and when the member is
 * gone. */
bool group_receive(Group *group, int from, GroupMessage *message, double seconds, Fault *fault);

void group_close(Group *group);

/* ------------------------------------------------------------------ MPI */

/* The group of all processes that mpirun started, this one among them.  In strata-mpi.so. */
bool group_mpi(Group *group, Fault *fault);

#endif
