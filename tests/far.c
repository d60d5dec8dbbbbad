/* far.c - a network on which every packet takes a while: machines far from each other, on one
 * computer.  See machines.sh.
 *
 *     far MICROSECONDS NAMESPACE...     prints "ready", and forwards until it is ended
 *
 *     machine 1 (namespace)            far                     machine 2
 *       program -- eth0 (TUN) --> queue, D microseconds --> eth0 (TUN) -- program
 *
 * Each namespace gets a device eth0; the k-th one's address must end in k.  All packets take as
 * long, so the queue is in order of time.  Linux only; needs the right to enter namespaces. */
#include "clock.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MACHINES = 8, QUEUE = 8192, PACKET = 2048, ADDRESS_END = 19 };

typedef struct Late {
    double at; /* when it arrives */
    int to;
    ssize_t size;
    unsigned char bytes[PACKET];
} Late;

static Late queue[QUEUE];
static size_t head, tail; /* of the queue: counted, not wrapped */

/* A device eth0 in a namespace; -1: none. */
static int open_device(const char *name) {
    char path[200];
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strcpy(request.ifr_name, "eth0");
    snprintf(path, sizeof path, "/run/netns/%s", name);
    int space = open(path, O_RDONLY), device = -1;
    if (space >= 0 && setns(space, CLONE_NEWNET) == 0)
        device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    if (space >= 0) close(space);
    if (device >= 0 && ioctl(device, TUNSETIFF, &request) == 0) return device;
    return perror(name), -1;
}

/* Packets of one machine, as long as there are some and room for them. */
static void take(int device, int machines, double delay) {
    while (tail - head < QUEUE) {
        Late *late = &queue[tail % QUEUE];
        late->size = read(device, late->bytes, PACKET);
        if (late->size <= 0) return;
        late->to = late->size > ADDRESS_END ? late->bytes[ADDRESS_END] - 1 : -1;
        late->at = clock_seconds() + delay;
        if (late->bytes[0] >> 4 == 4 && late->to >= 0 && late->to < machines) tail++;
    }
}

static void deliver(const struct pollfd *devices) {
    for (; head < tail && queue[head % QUEUE].at <= clock_seconds(); head++) {
        const Late *late = &queue[head % QUEUE];
        /* a full device loses it, as a network would */
        if (write(devices[late->to].fd, late->bytes, (size_t)late->size) < 0) continue;
    }
}

int main(int argc, char **argv) {
    struct pollfd devices[MACHINES];
    const int machines = argc - 2;
    const double delay = argc > 2 ? 1e-6 * atof(argv[1]) : 0;
    if (machines < 2 || machines > MACHINES || !(delay > 0))
        return fprintf(stderr, "usage: far MICROSECONDS NAMESPACE NAMESPACE...\n"), 2;
    for (int i = 0; i < machines; i++) {
        devices[i] = (struct pollfd){open_device(argv[i + 2]), POLLIN, 0};
        if (devices[i].fd < 0) return 1;
    }
    prctl(PR_SET_TIMERSLACK, 1);
    printf("ready\n"), fflush(stdout);
    for (;;) {
        double wait = head < tail ? queue[head % QUEUE].at - clock_seconds() : 1;
        struct timespec time = {.tv_sec = wait >= 1,
                                .tv_nsec = wait >= 1 ? 0 : (long)(1e9 * wait)};
        if (wait > 0) ppoll(devices, (nfds_t)machines, &time, NULL);
        deliver(devices);
        for (int i = 0; i < machines; i++)
            if (devices[i].revents & POLLIN) take(devices[i].fd, machines, delay);
    }
}
