/* group_mpi.c - the members of a group are processes that mpirun has started.  See group.h.
 *
 * The only file that includes mpi.h.  With MPI (the layer's Makefile) it becomes a library of
 * its own, strata-mpi.so, which a program loads when mpirun starts it; without, it is empty.
 *
 * MPI waits for ever.  So every wait here is a loop of tests with a clock: at first it yields,
 * since an answer mostly comes within microseconds; later it sleeps. */
#include "group.h"

#ifdef WITH_MPI
#include "clock.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static MPI_Message waiting[GROUP_MAX]; /* found by wait, to be taken */

/* One call at a time (MPI_THREAD_SERIALIZED), and no wait within one: so a thread can say that
 * its machine is there while another one waits for an answer. */
static pthread_mutex_t calls = PTHREAD_MUTEX_INITIALIZER;
#define ALONE(call) (pthread_mutex_lock(&calls), alone_done((call) == MPI_SUCCESS))
static bool alone_done(bool ok) { return pthread_mutex_unlock(&calls), ok; }

typedef struct Wait {
    double begin, seconds;
} Wait;

static Wait wait_begin(double seconds) { return (Wait){clock_seconds(), seconds}; }

static bool wait_again(const Wait *wait) {
    double waited = clock_seconds() - wait->begin;
    if (waited > wait->seconds) return false;
    if (waited < 2e-3)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = waited < 1 ? 50000 : 500000}, NULL);
    return true;
}

static bool too_late(const Group *group, int member, double seconds, Fault *fault) {
    return fault_set(fault,
                     "machine %d of %d has not answered for %.3g s: does it run, and does the "
                     "network reach it?",
                     member + 1, group->size, seconds);
}

/* Wait for a request to be done. */
static bool finish(const Group *group, int member, MPI_Request *request, double seconds,
                   Fault *fault) {
    Wait wait = wait_begin(seconds);
    for (int done = 0;;) {
        if (!ALONE(MPI_Test(request, &done, MPI_STATUS_IGNORE)))
            return fault_set(fault, "machine %d of %d is gone", member + 1, group->size);
        if (done) return true;
        if (!wait_again(&wait)) return too_late(group, member, seconds, fault);
    }
}

static bool mpi_send(Group *group, int to, const void *bytes, size_t size, double seconds,
                     Fault *fault) {
    MPI_Request request;
    if (size > INT_MAX)
        return fault_set(fault, "a message of %zu bytes: MPI takes %d", size, INT_MAX);
    if (!ALONE(MPI_Isend(bytes, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &request)))
        return fault_set(fault, "machine %d of %d is gone", to + 1, group->size);
    return finish(group, to, &request, seconds, fault);
}

static bool mpi_wait(Group *group, int from, size_t *size, double seconds, Fault *fault) {
    Wait wait = wait_begin(seconds);
    MPI_Status status;
    for (int found = 0, bytes;;) {
        if (!ALONE(MPI_Improbe(from, 0, MPI_COMM_WORLD, &found, &waiting[from], &status)))
            return fault_set(fault, "machine %d of %d is gone", from + 1, group->size);
        if (found) {
            MPI_Get_count(&status, MPI_BYTE, &bytes);
            return *size = (size_t)bytes, true;
        }
        if (!wait_again(&wait)) return too_late(group, from, seconds, fault);
    }
}

static bool mpi_take(Group *group, int from, void *bytes, size_t size, double seconds,
                     Fault *fault) {
    MPI_Request request;
    if (!ALONE(MPI_Imrecv(bytes, (int)size, MPI_BYTE, &waiting[from], &request)))
        return fault_set(fault, "machine %d of %d is gone", from + 1, group->size);
    return finish(group, from, &request, seconds, fault);
}

static void mpi_abort(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

/* MPI_Finalize waits for all; so it comes when all are here.  Then it takes milliseconds, or it
 * never returns (on_machines.c has a handler for the alarm). */
static void mpi_close(Group *group) {
    enum { SECONDS = 10, LAST = 2 };
    MPI_Request all;
    if (MPI_Ibarrier(MPI_COMM_WORLD, &all) != MPI_SUCCESS ||
        !finish(group, 0, &all, SECONDS, NULL))
        mpi_abort(1);
    alarm(LAST);
    MPI_Finalize();
    alarm(0);
}

static const GroupKind group_of_mpi = {.name = "MPI",
                                       .send = mpi_send,
                                       .wait = mpi_wait,
                                       .take = mpi_take,
                                       .close = mpi_close,
                                       .abort = mpi_abort};

/* MPICH's UCX asks before it sends more than a few kilobytes, which costs two more delays of
 * the network.  Here the other one waits already: messages go at once. */
static void send_at_once(void) { setenv("UCX_RNDV_THRESH", "16m", 0); }

bool group_mpi(Group *group, Fault *fault) {
    int level, rank, size;
    send_at_once();
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS ||
        level < MPI_THREAD_SERIALIZED)
        return fault_set(fault, "MPI cannot be started, or not from several threads in turn");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > GROUP_MAX)
        return fault_set(fault, "%d machines: %d at most", size, (int)GROUP_MAX);
    *group = (Group){&group_of_mpi, rank, size, NULL};
    return true;
}
#endif
