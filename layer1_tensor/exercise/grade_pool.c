/* The grader of layer 1's shared loops. */
#include "../src/pool_share.h"
#include "grader.h"

#include <pthread.h>

enum { MOST = 20000, THREADS = 8 };

static Stretch stretches[THREADS];
static atomic_uchar seen[MOST];

/* ------------------------------------------------------------------ dividing */

static void divided(size_t count, size_t grain, size_t threads) {
    Loop loop = {.grain = grain, .threads = threads, .stretches = stretches};
    size_t at = 0, chunks = (count + grain - 1) / grain;
    for (size_t i = 0; i < threads; i++)
        stretches[i].end = 888888, atomic_store(&stretches[i].next, 777777);
    loop_divide(&loop, count);
    for (size_t i = 0; i < threads; i++) {
        size_t begin = stretches[i].next, end = stretches[i].end,
               have = end > begin ? (end - begin + grain - 1) / grain : 0;
        HINT(begin != 777777 && end != 888888,
             "%zu outputs, %zu threads: stretch %zu is not written (an empty one has next not "
             "below end)",
             count, threads, i);
        HINT(have <= chunks / threads + 1 && (have > 0 || chunks / threads == 0) &&
                 (have >= chunks / threads),
             "%zu chunks for %zu threads: %zu or one more for each, stretch %zu has %zu",
             chunks, threads, chunks / threads, i, have);
        if (have == 0) continue;
        HINT(begin == at,
             "%zu outputs in chunks of %zu, %zu threads: stretch %zu begins at output %zu, "
             "expected %zu, where the one before it ends: one after the other without a gap",
             count, grain, threads, i, begin, at);
        HINT(begin % grain == 0,
             "%zu outputs in chunks of %zu: a stretch begins with a whole chunk, at a multiple "
             "of %zu, not at %zu",
             count, grain, grain, begin);
        HINT(end <= count,
             "%zu outputs in chunks of %zu: the last chunk may be shorter, no range ends past "
             "the last output (%zu)",
             count, grain, end);
        at = end;
    }
    COUNT(at, count, "%zu outputs in chunks of %zu, %zu threads: where the last stretch ends",
          count, grain, threads);
}

/* ------------------------------------------------------------------ one thread */

typedef struct Trail {
    size_t begin[MOST], end[MOST], n;
    int worker;
} Trail;

static void follow(void *context, int worker, size_t begin, size_t end) {
    Trail *t = context;
    HINT(worker == t->worker, "the task is called with worker %d, expected %d", worker,
         t->worker);
    HINT(end > begin, "the task is called with no output at all: %zu to %zu", begin, end);
    HINT(t->n < MOST, "the task is called more often than there are outputs");
    t->begin[t->n] = begin, t->end[t->n++] = end;
}

static void stretches_are(Loop *loop, size_t count) {
    size_t chunks = (count + loop->grain - 1) / loop->grain;
    for (size_t i = 0; i < loop->threads; i++) {
        size_t end = chunks * (i + 1) / loop->threads * loop->grain;
        stretches[i].next = chunks * i / loop->threads * loop->grain;
        stretches[i].end = end < count ? end : count;
    }
}

/* What one worker does if it is alone: its own range, then those after it. */
static void walked(size_t count, size_t grain, size_t threads, int worker) {
    static Trail t;
    Loop loop = {follow, &t, grain, threads, stretches};
    t.n = 0, t.worker = worker;
    stretches_are(&loop, count);
    size_t first[THREADS], k = 0;
    for (size_t i = 0; i < threads; i++) first[i] = stretches[i].next;
    loop_run(&loop, worker);
    for (size_t i = 0; i < threads; i++) {
        size_t of = ((size_t)worker + i) % threads, at = first[of];
        for (; at < stretches[of].end; k++) {
            size_t end = at + grain < stretches[of].end ? at + grain : stretches[of].end;
            HINT(k < t.n,
                 "%zu outputs, %zu threads: worker %d alone runs %zu chunks, and stretch %zu "
                 "has "
                 "some left: it helps until no stretch has any",
                 count, threads, worker, t.n, of);
            HINT(t.begin[k] == at || i > 0,
                 "worker %d begins with its own stretch, at output %zu, in order: expected a "
                 "chunk "
                 "from %zu, got one from %zu",
                 worker, first[of], at, t.begin[k]);
            HINT(t.begin[k] == at,
                 "worker %d has done its own and helps the next thread, then the one after it: "
                 "expected a chunk from output %zu (of stretch %zu), got one from %zu",
                 worker, at, of, t.begin[k]);
            COUNT(
                t.end[k], end,
                "a chunk of %zu outputs, or what its stretch has left; where the one from %zu "
                "ends",
                grain, at);
            at = end;
        }
    }
    COUNT(t.n, k, "%zu outputs in chunks of %zu: so many chunks", count, grain);
}

static void alone(size_t count, size_t grain) {
    static Trail t;
    t.n = 0, t.worker = 0;
    loop_run_alone(count, grain, follow, &t);
    for (size_t k = 0, at = 0; at < count; k++) {
        size_t end = at + grain < count ? at + grain : count;
        HINT(k < t.n, "alone: %zu outputs in chunks of %zu, and output %zu is never reached",
             count, grain, at);
        COUNT(t.begin[k], at, "alone: chunk by chunk, in order; where chunk %zu begins", k);
        COUNT(t.end[k], end,
              "alone: %zu outputs in chunks of %zu, the last one shorter; where chunk %zu ends",
              count, grain, k);
        at = end;
    }
    COUNT(t.n, (count + grain - 1) / grain,
          "alone: %zu outputs in chunks of %zu: so many calls", count, grain);
}

/* ------------------------------------------------------------------ many threads */

typedef struct Helper {
    Loop *loop;
    int worker;
    atomic_int *ready;
} Helper;

static atomic_size_t beyond; /* the end of an empty chunk */

static void mark(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const size_t *count = context;
    if (begin >= end || end > *count) {
        atomic_store(&beyond, end + 1);
        return;
    }
    for (size_t i = begin; i < end; i++) atomic_fetch_add(&seen[i], 1);
}

static void *help(void *context) {
    Helper *h = context;
    atomic_fetch_sub(h->ready, 1);
    while (atomic_load(h->ready) > 0) {}
    loop_run(h->loop, h->worker);
    return NULL;
}

/* All work is in one range, from which all threads take at once. */
static void together(size_t count, size_t grain, int threads) {
    Loop loop = {mark, &count, grain, (size_t)threads, stretches};
    pthread_t handles[THREADS];
    Helper helpers[THREADS];
    atomic_int ready = threads;
    for (size_t i = 0; i < count; i++) seen[i] = 0;
    for (int i = 0; i < threads; i++) stretches[i].next = stretches[i].end = 0;
    stretches[fresh_below((size_t)threads)].end = count;
    for (int i = 0; i < threads; i++) {
        helpers[i] = (Helper){&loop, i, &ready};
        NEED(pthread_create(&handles[i], NULL, help, &helpers[i]) == 0);
    }
    for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
    HINT(!beyond,
         "%d threads, %zu outputs: a chunk ends at %zu.  Another thread may have taken the "
         "last chunk since you looked: the chunk you get may be past the end",
         threads, count, (size_t)beyond - 1);
    for (size_t i = 0; i < count; i++) {
        int n = seen[i];
        HINT(
            n <= 1,
            "%d threads: output %zu of %zu was computed %d times: two threads have taken the "
            "same chunk.  Reading the counter and advancing it must be one step that no thread "
            "can come between",
            threads, i, count, n);
        HINT(n == 1, "%d threads: output %zu of %zu was never computed: every chunk is taken",
             threads, i, count);
    }
}

GRADE(shares) {
    for (int round = 0; round < 300; round++) {
        size_t threads = 1 + fresh_below(THREADS), grain = 1 + fresh_below(40),
               count = fresh_below(round % 3 ? 600 : 20);
        divided(count, grain, threads);
    }
    for (int round = 0; round < 200; round++) {
        size_t threads = 1 + fresh_below(THREADS), grain = 1 + fresh_below(40),
               count = fresh_below(round % 3 ? 600 : 20);
        walked(count, grain, threads, (int)fresh_below(threads));
        alone(count, grain);
    }
    for (int round = 0; round < 60; round++)
        together(MOST - fresh_below(100), 1 + fresh_below(3), 2 + (int)fresh_below(3));
    for (int round = 0; round < 300; round++) together(1 + fresh_below(6), 2, 3);
}

GRADES({"1.14", shares})
