/* score.c - how fast an exercise's functions are.
 *
 *     score NUMBER own|library SECONDS     units of work per second, the best of short rounds
 *     score flops|memory SECONDS           what one thread of this machine reaches at most
 *
 * Linked with a learner's object, as a grader is, "own" times the learner's functions; linked
 * with the shipped one, the library's plain ones. */
#include "score.h"
#include "clock.h"
#include "peak.h"

void *score_memory(size_t count, size_t size) {
    void *memory = calloc(count, size);
    NEED(memory != NULL);
    return memory;
}

/* A round takes a twentieth of the time, so that one that other programs disturb is left out. */
static double best_rate(const Timed *t, bool library, double seconds) {
    double best = 0, end = clock_seconds() + seconds;
    t->run(library); /* the first touches the memory */
    do {
        double work = 0, start = clock_seconds(), spent;
        do work += t->run(library);
        while ((spent = clock_seconds() - start) < seconds / 20);
        best = fmax(best, work / spent);
    } while (clock_seconds() < end);
    return best;
}

static const Timed *find(const Timed *list, const char *number) {
    while (list->number && strcmp(list->number, number) != 0) list++;
    return list->number ? list : NULL;
}

int main(int argc, char **argv) {
    if (argc == 3) {
        Fault fault;
        Pool *pool = pool_open(1, false, &fault);
        NEED(pool != NULL);
        double seconds = strtod(argv[2], NULL);
        printf("%.9g\n", strcmp(argv[1], "flops") == 0
                             ? peak_gflops(pool, seconds)
                             : bandwidth_gigabytes(pool, seconds).best);
        pool_close(pool);
        return 0;
    }
    NEED(argc == 4);
    const Timed *t = find(timed_numbers, argv[1]);
    if (!t) t = find(timed_texts, argv[1]);
    NEED(t != NULL);
    const bool library = strcmp(argv[2], "library") == 0;
    t->make();
    double rate = best_rate(t, library, strtod(argv[3], NULL));
    if (!library && t->right && !t->right()) {
        puts("wrong result");
        return 1;
    }
    printf("%.9g\n", rate);
    return 0;
}
