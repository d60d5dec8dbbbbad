/* right: a lock around the counter, and a walk that keeps a pointer to the stretch it takes from */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool run_chunk(Loop *loop, Stretch *stretch, int worker) {
    pthread_mutex_lock(&lock);
    size_t begin = stretch->next, end = begin;
    if (begin < stretch->end)
        end = stretch->end - begin < loop->grain ? stretch->end : begin + loop->grain;
    stretch->next = end;
    pthread_mutex_unlock(&lock);
    if (end > begin) loop->task(loop->context, worker, begin, end);
    return end > begin;
}

void loop_run(Loop *loop, int worker) {
    Stretch *last = loop->stretches + loop->threads, *at = loop->stretches + worker;
    for (size_t i = 0; i < loop->threads; i++) {
        while (run_chunk(loop, at, worker)) continue;
        if (++at == last) at = loop->stretches;
    }
}

void loop_run_alone(size_t count, size_t grain, PoolTask *task, void *context) {
    size_t begin = 0;
    for (; count > grain; begin += grain, count -= grain)
        task(context, 0, begin, begin + grain);
    if (count) task(context, 0, begin, begin + count);
}
