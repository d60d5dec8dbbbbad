/* pool.h - a thread pool, and a loop that splits its outputs among the threads.
 *
 *     pool_for(pool, rows, 8, work, &args);    // work(&args, worker, begin, end)
 *
 * Each worker starts with a stretch of its own and walks through it in order, which suits the
 * hardware's prefetcher.  A worker that is done helps with the stretches of others, so a slow
 * core takes fewer chunks.  A chunk's result must not depend on which worker computes it.
 *
 * Invariant: threads split outputs, never a sum, so results do not depend on their number
 * [threads_and_chunks_change_no_bit]. */
#ifndef STRATA_POOL_H
#define STRATA_POOL_H

#include "fault.h"
#include <stddef.h>

typedef struct Pool Pool;

/* One chunk of a loop: the outputs begin .. end-1.  `worker` (0 .. threads-1) is only an index
 * into per-thread scratch. */
typedef void PoolTask(void *context, int worker, size_t begin, size_t end);

/* Start threads - 1 workers; the caller of pool_for is one more.
 *
 *   threads   1 .. 256; 0 means one for each core
 *   pin       keep worker i on core i (Linux; elsewhere a fault)
 *
 * Fails when threads is out of range or the system refuses a thread.  The caller owns the
 * pool. */
Pool *pool_open(int threads, bool pin, Fault *fault);
void pool_close(Pool *pool);

int pool_threads(const Pool *pool); /* 1 for NULL */
int cpu_count(void);                /* cores this process may use */

/* Run task over 0 .. count-1 in chunks of `grain`; returns when all are done.
 *
 *   pool    NULL: run the chunks here, in order
 *
 * Needs    grain > 0; one caller at a time, and not from inside a task of the same pool. */
void pool_for(Pool *pool, size_t count, size_t grain, PoolTask *task, void *context);

#endif
