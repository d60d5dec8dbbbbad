/* pool.c - see pool.h.
 *
 * Opening the gate publishes a loop.  Each worker that enters runs chunks (pool_share.c) until
 * no stretch has any left, then leaves.  So does the caller, which then closes the gate and
 * waits only for the workers inside: if the system never scheduled one, others have done its
 * share.
 *
 *     gate    | round | open | workers inside |
 *
 * A waiting worker spins before it sleeps: a decode step has hundreds of loops of about ten
 * microseconds, and waking a thread costs as much as one of them. */
#include "pool_share.h"
#include "clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define SPINS 4000 /* a few tens of microseconds */

#define GATE_INSIDE 0xFFFFull  /* mask: how many workers are inside */
#define GATE_OPEN   0x10000ull /* flag */
#define GATE_ROUND  0x20000ull /* adding it begins the next round */

struct Pool {
    int threads;
    bool pin;
    pthread_t *handles;
    Loop loop; /* the one being run; owns its stretches */
    /* meeting points */
    atomic_ullong gate;
    atomic_bool closing;
    atomic_bool asleep; /* a worker may have to be woken */
    atomic_bool in_use; /* a loop is being run with help */
    int alone;          /* loops to run without help before the next with */
    int backoff;        /* the last value of that; see end_round */
    pthread_mutex_t lock;
    pthread_cond_t wake;
#if defined(__linux__)
    cpu_set_t allowed; /* the cores of this process */
#endif
};

typedef struct Worker {
    Pool *pool;
    int index;
} Worker;

int cpu_count(void) {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Wait until the round differs from the one last seen. */
static unsigned long long await_round(Pool *pool, unsigned long long seen) {
    unsigned long long now;
    for (int spin = 0; spin < SPINS; spin++) {
        if ((now = atomic_load(&pool->gate) / GATE_ROUND) != seen) return now;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
    for (;;) { /* announce, then look, so that no round is missed */
        atomic_store(&pool->asleep, true);
        if ((now = atomic_load(&pool->gate) / GATE_ROUND) != seen) break;
        pthread_cond_wait(&pool->wake, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return now;
}

/* Enter; false when the gate is closed already. */
static bool enter(Pool *pool) {
    unsigned long long gate = atomic_load(&pool->gate);
    while (gate & GATE_OPEN)
        if (atomic_compare_exchange_weak(&pool->gate, &gate, gate + 1)) return true;
    return false;
}

static void begin_round(Pool *pool) {
    atomic_fetch_add(&pool->gate, GATE_ROUND + GATE_OPEN);
    if (!atomic_load(&pool->asleep)) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->asleep, false);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

/* Pin the calling thread to the index-th core of this process. */
static void pin_to_core(const Pool *pool, int index) {
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &pool->allowed) && seen++ == index) CPU_SET(cpu, &set);
    if (CPU_COUNT(&set)) pthread_setaffinity_np(pthread_self(), sizeof set, &set);
#else
    (void)pool, (void)index;
#endif
}

static void *worker_main(void *argument) {
    Worker self = *(Worker *)argument;
    free(argument);
    if (self.pool->pin) pin_to_core(self.pool, self.index);
    for (unsigned long long seen = 0;;) {
        seen = await_round(self.pool, seen);
        if (atomic_load(&self.pool->closing)) return NULL;
        if (!enter(self.pool)) continue;
        loop_run(&self.pool->loop, self.index);
        atomic_fetch_sub(&self.pool->gate, 1);
    }
}

static bool start_worker(Pool *pool, int index) {
    Worker *worker = malloc(sizeof *worker);
    if (!worker) return false;
    *worker = (Worker){pool, index};
    if (pthread_create(&pool->handles[index - 1], NULL, worker_main, worker) == 0) return true;
    free(worker);
    return false;
}

static bool can_open(int threads, bool pin, Fault *fault) {
    if (threads < 1 || threads > 256)
        return fault_set(fault,
                         "%d threads is out of range: give 1 to 256, or 0 for one on each core",
                         threads);
#if !defined(__linux__)
    if (pin)
        return fault_set(
            fault,
            "this system does not let a program pin its threads to cores: leave --pin out");
#endif
    (void)pin;
    return true;
}

/* A pool with room for `threads` threads and only the caller's so far. */
static Pool *new_pool(int threads, bool pin, Fault *fault) {
    Pool *pool = calloc(1, sizeof *pool);
    pthread_t *handles = calloc((size_t)threads, sizeof *handles);
    Stretch *stretches = calloc((size_t)threads, sizeof *stretches);
    if (!pool || !handles || !stretches) {
        free(pool), free(handles), free(stretches);
        fault_set(fault, "no memory for %d threads", threads);
        return NULL;
    }
    pool->handles = handles;
    pool->loop.stretches = stretches;
    pool->pin = pin;
#if defined(__linux__)
    if (sched_getaffinity(0, sizeof pool->allowed, &pool->allowed) != 0) pool->pin = false;
#endif
    pool->threads = 1;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    return pool;
}

Pool *pool_open(int threads, bool pin, Fault *fault) {
    if (threads == 0) threads = cpu_count();
    Pool *pool = can_open(threads, pin, fault) ? new_pool(threads, pin, fault) : NULL;
    if (!pool) return NULL;
    for (int i = 1; i < threads; i++) {
        if (!start_worker(pool, i)) {
            fault_set(fault, "the system gave only %d of %d threads", i, threads);
            pool_close(pool);
            return NULL;
        }
        pool->threads++;
    }
    /* last: threads inherit the affinity of their creator */
    if (pin) pin_to_core(pool, 0);
    return pool;
}

void pool_close(Pool *pool) {
    if (!pool) return;
    atomic_store(&pool->closing, true);
    begin_round(pool);
    for (int i = 1; i < pool->threads; i++) pthread_join(pool->handles[i - 1], NULL);
#if defined(__linux__)
    if (pool->pin) pthread_setaffinity_np(pthread_self(), sizeof pool->allowed, &pool->allowed);
#endif
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool->handles);
    free(pool->loop.stretches);
    free(pool);
}

int pool_threads(const Pool *pool) { return pool ? pool->threads : 1; }

/* Close the gate and wait for the workers inside.  If the caller alone would have finished the
 * loop sooner, other programs have our cores: run the next loops without help, one at first,
 * after further delays 3, 7, 15 ... */
static void end_round(Pool *pool, double start) {
    enum { ALONE_MAX = 1023 };
    double worked = clock_seconds() - start;
    int spin = 0;
    atomic_fetch_and(&pool->gate, ~GATE_OPEN);
    for (; atomic_load(&pool->gate) & GATE_INSIDE; spin++) {
        if (spin < SPINS)
            relax();
        else
            sched_yield();
    }
    if (spin > SPINS && clock_seconds() - start > (double)pool->threads * worked)
        pool->alone = pool->backoff =
            pool->backoff < ALONE_MAX ? 2 * pool->backoff + 1 : ALONE_MAX;
    else
        pool->backoff /= 2;
}

void pool_for(Pool *pool, size_t count, size_t grain, PoolTask *task, void *context) {
    REQUIRE(grain > 0, "a loop in chunks of 0 never ends");
    if (!pool || pool->threads == 1 || count <= grain) {
        loop_run_alone(count, grain, task, context);
        return;
    }
    REQUIRE(!atomic_exchange(&pool->in_use, true),
            "a pool runs one loop at a time: two threads share this one, or a task called it");
    if (pool->alone > 0) {
        pool->alone--;
        loop_run_alone(count, grain, task, context);
        atomic_store(&pool->in_use, false);
        return;
    }
    double start = clock_seconds();
    pool->loop = (Loop){task, context, grain, (size_t)pool->threads, pool->loop.stretches};
    loop_divide(&pool->loop, count);
    begin_round(pool);
    loop_run(&pool->loop, 0);
    end_round(pool, start);
    atomic_store(&pool->in_use, false);
}
