/* pool_share.h - how the chunks of one loop are shared out; the threads themselves are pool.c's.
 *
 *     count 100, grain 24:   | 0 | 24 | 48 | 72 | 96 |    five chunks, the last one shorter
 *     two threads:           |--- 0 --|----- 1 ------|    a stretch for each
 *
 * Invariant: each output is in one stretch, and each chunk is taken by one thread. */
#ifndef STRATA_POOL_SHARE_H
#define STRATA_POOL_SHARE_H

#include "pool.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The part of a loop that one worker begins with: 128 bytes, so that no two share a cache line, nor the
 * pair of lines that a core may fetch at once. */
typedef struct Stretch {
    atomic_size_t next; /* first output not taken yet */
    size_t end;         /* one after its last output */
    char padding[128 - sizeof(atomic_size_t) - sizeof(size_t)];
} Stretch;

typedef struct Loop {
    PoolTask *task;
    void *context;
    size_t grain; /* outputs in a chunk */
    size_t threads;
    Stretch *stretches; /* (threads) */
} Loop;

/* Give each thread a stretch of the outputs 0 .. count-1: one after the other, without a gap, each beginning with a
 * whole chunk (at a multiple of grain), and none with two chunks more than another.  Where there are fewer chunks than
 * threads some are empty: next is not below end. */
void loop_divide(Loop *loop, size_t count);

/* Run chunks until no stretch has any left: first the worker's own stretch, in order, then what the other threads,
 * from the next one on, have left of theirs.  All threads do this at the same time.  The task is called with the
 * loop's context, this worker, and the chunk: grain outputs, or as many as its stretch has left. */
void loop_run(Loop *loop, int worker);

/* The same outputs by the caller alone, as worker 0: chunk by chunk, in order. */
void loop_run_alone(size_t count, size_t grain, PoolTask *task, void *context);

#endif
