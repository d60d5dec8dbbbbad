/* pool_share.c - see pool_share.h. */
#include "pool_share.h"

void loop_divide(Loop *loop, size_t count) {
    size_t chunks = (count + loop->grain - 1) / loop->grain, threads = loop->threads;
    for (size_t i = 0; i < threads; i++) {
        size_t end = chunks * (i + 1) / threads * loop->grain;
        loop->stretches[i].end = end < count ? end : count;
        atomic_store_explicit(&loop->stretches[i].next, chunks * i / threads * loop->grain,
                              memory_order_relaxed);
    }
}

/* Take a stretch's next chunk and run it; false when there is none. */
static bool run_chunk(Loop *loop, Stretch *stretch, int worker) {
    if (atomic_load_explicit(&stretch->next, memory_order_relaxed) >= stretch->end)
        return false;
    size_t begin = atomic_fetch_add_explicit(&stretch->next, loop->grain, memory_order_relaxed),
           left = stretch->end - begin;
    if (begin >= stretch->end) return false;
    loop->task(loop->context, worker, begin, begin + (left < loop->grain ? left : loop->grain));
    return true;
}

void loop_run(Loop *loop, int worker) {
    for (size_t i = 0; i < loop->threads; i++) {
        Stretch *from = &loop->stretches[((size_t)worker + i) % loop->threads];
        while (run_chunk(loop, from, worker)) {}
    }
}

void loop_run_alone(size_t count, size_t grain, PoolTask *task, void *context) {
    for (size_t begin = 0; begin < count; begin += grain)
        task(context, 0, begin, count - begin < grain ? count : begin + grain);
}
