/* pool_share.h - how threads share the chunks of one loop; the threads are in pool.c.
 *
 *     count 100, grain 24:   | 0 | 24 | 48 | 72 | 96 |    five chunks, the last one shorter
 *     two threads:           |--- 0 --|----- 1 ------|    a stretch for each
 *
 * Invariant: each output is in one stretch; each chunk is run by one thread. */
#ifndef STRATA_POOL_SHARE_H
#define STRATA_POOL_SHARE_H

#include "pool.h"

#include <stdatomic.h>

/* The part of a loop that one worker starts with.  128 bytes, so that no two share a cache line
 * or the pair of lines that a core may fetch at once. */
typedef struct Stretch {
    atomic_size_t next; /* the first output not taken yet */
    size_t end;         /* one past the last output */
    char padding[128 - sizeof(atomic_size_t) - sizeof(size_t)];
} Stretch;

typedef struct Loop {
    PoolTask *task;
    void *context;
    size_t grain; /* outputs in a chunk */
    size_t threads;
    Stretch *stretches; /* (threads) */
} Loop;

/* Divide the outputs 0 .. count-1 into one stretch per thread, in order, at multiples of grain;
 * the numbers of chunks differ by at most one.  With fewer chunks than threads some are
 * empty. */
void loop_divide(Loop *loop, size_t count);

/* Run chunks until no stretch has any left: first the worker's own, in order, then those of the
 * other threads, starting with the next one.  Called by all threads at once. */
void loop_run(Loop *loop, int worker);

/* Run all chunks in order, as worker 0. */
void loop_run_alone(size_t count, size_t grain, PoolTask *task, void *context);

#endif
