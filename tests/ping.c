/* ping.c - how long a message takes from one machine to another: half of the time there and
 * back.  mpirun starts it twice; see machines.sh.
 *
 *     ping LIBRARY BYTES     LIBRARY: strata-mpi.so; prints the median in microseconds */
#include "clock.h"
#include "group.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARM = 100, TIMES = 501, SECONDS = 10 };

/* The first member sends and the second one sends it back. */
static bool go(Group *group, GroupMessage *message, double times[TIMES], Fault *fault) {
    const int other = 1 - group->rank;
    for (int i = 0; i < WARM + TIMES; i++) {
        const double start = clock_seconds();
        if (group->rank > 0 && !group_receive(group, other, message, SECONDS, fault))
            return false;
        if (!group_send(group, other, message->bytes, message->size, SECONDS, fault))
            return false;
        if (group->rank == 0 && !group_receive(group, other, message, SECONDS, fault))
            return false;
        if (i >= WARM) times[i - WARM] = clock_seconds() - start;
    }
    return true;
}

int main(int argc, char **argv) {
    static double times[TIMES];
    bool (*open)(Group *, Fault *) = NULL;
    Group group;
    Fault fault;
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (library) memcpy(&open, &(void *){dlsym(library, "group_mpi")}, sizeof open);
    if (!open) return fprintf(stderr, "usage: mpirun -n 2 ping strata-mpi.so BYTES\n"), 2;
    const size_t size = (size_t)atol(argv[2]);
    GroupMessage message = {calloc(size + 1, 1), size, size + 1};
    if (!open(&group, &fault) || !message.bytes || group.size != 2 ||
        !go(&group, &message, times, &fault))
        return fprintf(stderr, "%s\n", fault.text), 1;
    if (group.rank == 0) printf("%.1f\n", 1e6 * percentile(times, TIMES, 0.5) / 2);
    fflush(stdout);
    _exit(0); /* MPI_Finalize can wait for ever (on_machines.c) */
}
