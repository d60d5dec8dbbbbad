/* pool.c - see pool.h.
 *
 * A loop is published by raising `round`; each worker runs chunks until no stretch has any left,
 * then counts itself out.  Waiting is spinning first and sleeping after, because a decode step has
 * hundreds of loops of some ten microseconds each, and waking a sleeping thread costs as much. */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define SPINS 4000 /* tens of microseconds */

/* The part of a loop that one worker begins with.  Far enough apart that no two share a cache
 * line. */
typedef struct Stretch {
    atomic_size_t next; /* first output nobody has taken */
    size_t end;
    char apart[112];
} Stretch;

struct Pool {
    int threads;
    bool pin;
    pthread_t *handles;
    /* the loop being run */
    PoolTask *task;
    void *context;
    size_t grain;
    Stretch *stretches; /* (threads) */
    /* meeting points */
    atomic_uint round;  /* rises with every loop */
    atomic_int running; /* workers that have not finished this round */
    atomic_bool closing;
    atomic_int sleepers;
    pthread_mutex_t lock;
    pthread_cond_t wake;
#if defined(__linux__)
    cpu_set_t allowed; /* the cores the process was given */
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

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Take a stretch's next chunk and run it; false when there is none. */
static bool run_chunk(Pool *pool, Stretch *stretch, int worker) {
    if (atomic_load_explicit(&stretch->next, memory_order_relaxed) >= stretch->end)
        return false;
    size_t begin = atomic_fetch_add_explicit(&stretch->next, pool->grain, memory_order_relaxed),
           left = stretch->end - begin;
    if (begin >= stretch->end) return false;
    pool->task(pool->context, worker, begin, begin + (left < pool->grain ? left : pool->grain));
    return true;
}

/* First the worker's own stretch, then what others have left of theirs. */
static void run_chunks(Pool *pool, int worker) {
    for (int i = 0; i < pool->threads; i++)
        while (run_chunk(pool, &pool->stretches[(worker + i) % pool->threads], worker)) {}
}

/* Equal parts of the loop, in whole chunks. */
static void divide(Pool *pool, size_t count) {
    size_t chunks = (count + pool->grain - 1) / pool->grain, threads = (size_t)pool->threads;
    for (size_t i = 0; i < threads; i++) {
        size_t end = chunks * (i + 1) / threads * pool->grain;
        pool->stretches[i].end = end < count ? end : count;
        atomic_store_explicit(&pool->stretches[i].next, chunks * i / threads * pool->grain,
                              memory_order_relaxed);
    }
}

/* Wait until the round differs from the one last seen. */
static unsigned await_round(Pool *pool, unsigned seen) {
    for (int spin = 0; spin < SPINS; spin++) {
        unsigned now = atomic_load_explicit(&pool->round, memory_order_acquire);
        if (now != seen) return now;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->round) == seen) pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
    return atomic_load(&pool->round);
}

static void begin_round(Pool *pool) {
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->sleepers) == 0) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

/* Keep the calling thread on the index-th of the cores the process was given. */
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
    for (unsigned seen = 0;;) {
        seen = await_round(self.pool, seen);
        if (atomic_load(&self.pool->closing)) return NULL;
        run_chunks(self.pool, self.index);
        atomic_fetch_sub_explicit(&self.pool->running, 1, memory_order_release);
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

/* A pool with room for so many threads, of which it has the caller's. */
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
    pool->stretches = stretches;
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
    if (pin)
        pin_to_core(pool, 0); /* last: threads inherit the cores of the one that starts them */
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
    free(pool->stretches);
    free(pool);
}

int pool_threads(const Pool *pool) { return pool ? pool->threads : 1; }

static void run_here(size_t count, size_t grain, PoolTask *task, void *context) {
    for (size_t begin = 0; begin < count; begin += grain)
        task(context, 0, begin, count - begin < grain ? count : begin + grain);
}

void pool_for(Pool *pool, size_t count, size_t grain, PoolTask *task, void *context) {
    REQUIRE(grain > 0, "a loop in chunks of 0 never ends");
    if (!pool || pool->threads == 1 || count <= grain) {
        run_here(count, grain, task, context);
        return;
    }
    pool->task = task;
    pool->context = context;
    pool->grain = grain;
    divide(pool, count);
    atomic_store_explicit(&pool->running, pool->threads - 1, memory_order_relaxed);
    begin_round(pool);
    run_chunks(pool, 0);
    for (int spin = 0; atomic_load_explicit(&pool->running, memory_order_acquire) > 0; spin++) {
        if (spin < SPINS)
            relax();
        else
            sched_yield();
    }
}
