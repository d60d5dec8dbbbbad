/* fail.c - preloaded into a program: its n-th call for memory, or to the disk, fails.
 *
 * The state lies in a file that the runner maps as well ($FAIL_STATE), so that it may arm a
 * process that runs already (a server), and reads how many calls were made even of one that
 * crashed.  Memory is met at the functions; the disk at the system calls, since the C library
 * writes its streams with calls that no preloaded function sees: a seccomp filter turns them
 * into SIGSYS, and the handler makes the call or fails it. */
#define _GNU_SOURCE
#include "fail.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

FailState *fail_state;

/* Count a call; true if it is one of those that shall fail. */
bool fail_now(const char *name) {
    FailState *s = fail_state;
    if (!s) return false;
    long long n = atomic_fetch_add(&s->calls, 1) + 1;
    if (n < s->first || n > s->last) return false;
    if (atomic_fetch_add(&s->failed, 1) == 0) strncpy(s->name, name, sizeof s->name - 1);
    return true;
}

static bool no_memory(const char *name) {
    if (!fail_state || fail_state->kind != FAIL_MEMORY || !fail_now(name)) return false;
    errno = ENOMEM;
    return true;
}

/* The function of this name in the next library. */
#define NEXT(type, name, ...)         \
    static type (*next)(__VA_ARGS__); \
    if (!next) *(void **)(&next) = dlsym(RTLD_NEXT, name)

void *malloc(size_t size) {
    NEXT(void *, "malloc", size_t);
    return no_memory("malloc") ? NULL : next(size);
}

void *calloc(size_t count, size_t size) {
    NEXT(void *, "calloc", size_t, size_t);
    return no_memory("calloc") ? NULL : next(count, size);
}

void *realloc(void *old, size_t size) {
    NEXT(void *, "realloc", void *, size_t);
    return no_memory("realloc") ? NULL : next(old, size);
}

void *aligned_alloc(size_t align, size_t size) {
    NEXT(void *, "aligned_alloc", size_t, size_t);
    return no_memory("aligned_alloc") ? NULL : next(align, size);
}

int posix_memalign(void **out, size_t align, size_t size) {
    NEXT(int, "posix_memalign", void **, size_t, size_t);
    return no_memory("posix_memalign") ? ENOMEM : next(out, align, size);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                   void *context) {
    NEXT(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return no_memory("pthread_create") ? EAGAIN : next(thread, how, run, context);
}

/* A mapped file belongs to the disk, other memory to memory. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    NEXT(void *, "mmap", void *, size_t, int, int, int, off_t);
    if (fd < 0 ? no_memory("mmap") : fail_mapping(fd)) return MAP_FAILED;
    return next(at, size, protection, flags, fd, offset);
}

__attribute__((constructor)) static void fail_begin(void) {
    const char *path = getenv("FAIL_STATE");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *state = mmap(NULL, sizeof *fail_state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (state == MAP_FAILED) return;
    if (((FailState *)state)->kind == FAIL_DISK) fail_watch_disk();
    fail_state = state;
}
