/* pool.h - threads that stay alive, and a loop that splits its outputs among them.
 *
 *     pool_for(pool, rows, 8, work, &args);      // work(&args, worker, begin, end), 8 rows at a time
 *
 * Each worker begins with a stretch of its own and walks through it in order, which suits the hardware's
 * prefetcher; a thread that is done helps with the stretch of another, so a slow core takes fewer chunks.
 * Which worker computes a chunk is left to chance; what the chunk contains must not depend on it.
 *
 * Invariant: threads split outputs, never a sum; so results do not depend on how many there are. */
#ifndef STRATA_POOL_H
#define STRATA_POOL_H

#include "fault.h"
#include <stddef.h>

typedef struct Pool Pool;

/* One chunk of a loop: the outputs begin .. end-1.  `worker` is 0 .. threads-1: an index into
 * per-thread scratch, nothing else. */
typedef void PoolTask(void *context, int worker, size_t begin, size_t end);

/* Start threads - 1 workers; the caller of pool_for is the last one.
 *
 *   threads   1 .. 256; 0 means one for each core
 *   pin       keep worker i on core i (Linux; elsewhere a fault)
 *
 * Fails when threads is out of range or the system gives no thread.  The caller owns the pool. */
Pool *pool_open(int threads, bool pin, Fault *fault);
void pool_close(Pool *pool);

int pool_threads(const Pool *pool); /* 1 for NULL */
int cpu_count(void);                /* cores this process may use */

/* Run task over 0 .. count-1 in chunks of `grain`; returns when all is done.
 *
 *   pool    NULL runs the chunks here, in order
 *
 * Needs    grain > 0; one caller at a time, and none from inside a task of the same pool. */
void pool_for(Pool *pool, size_t count, size_t grain, PoolTask *task, void *context);

#endif
