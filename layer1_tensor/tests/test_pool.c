/* pool, rng, clock */
#include "check.h"
#include "tensor.h"

#include <stdatomic.h>

typedef struct Marks {
    unsigned char seen[10007];
    int workers[8];
} Marks;

static void mark(void *context, int worker, size_t begin, size_t end) {
    Marks *m = context;
    for (size_t i = begin; i < end; i++) m->seen[i]++;
    m->workers[worker]++;
}

static void every_output_once(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 63, 64, 65, 10007}, grains[] = {1, 7, 64, 20000};
    for (int threads = 1; threads <= 4; threads++) {
        Fault fault;
        Pool *pool = pool_open(threads, threads % 2 == 0, &fault);
        assert_non_null(pool);
        assert_int_equal(pool_threads(pool), threads);
        for (size_t c = 0; c < 7; c++)
            for (size_t g = 0; g < 4; g++) {
                Marks m = {{0}, {0}};
                pool_for(pool, counts[c], grains[g], mark, &m);
                for (size_t i = 0; i < sizeof m.seen; i++)
                    assert_int_equal(m.seen[i], i < counts[c]);
            }
        pool_close(pool);
    }
}

/* Rounds follow each other at once, and after pauses long enough for workers to fall asleep. */
static void many_rounds(void **state) {
    (void)state;
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    for (int round = 0; round < 3000; round++) {
        Marks m = {{0}, {0}};
        pool_for(pool, 40, 1, mark, &m);
        for (size_t i = 0; i < 40; i++) assert_int_equal(m.seen[i], 1);
        if (round % 300 == 0)
            for (double until = clock_seconds() + 0.003; clock_seconds() < until;) {}
    }
    pool_close(pool);
}

/* A task may not use the pool that runs it, nor may a second thread. */
static void inner_loop(void *context, int worker, size_t begin, size_t end) {
    (void)worker, (void)begin, (void)end;
    pool_for(context, 100, 1, mark, NULL);
}
static void loop_in_a_loop(void) {
    Pool *pool = pool_open(2, false, NULL);
    pool_for(pool, 100, 1, inner_loop, pool);
}
/* Worker 1 is late by far, so that the next loop is run by the caller alone. */
static void late_worker(void *context, int worker, size_t begin, size_t end) {
    atomic_bool *begun = context;
    (void)begin, (void)end;
    if (worker == 0)
        while (!atomic_load(begun)) {}
    else
        atomic_store(begun, true);
    for (double until = clock_seconds() + 0.2; worker && clock_seconds() < until;) {}
}
static void loop_in_a_loop_alone(void) {
    Pool *pool = pool_open(2, false, NULL);
    static atomic_bool begun;
    pool_for(pool, 2, 1, late_worker, &begun);
    pool_for(pool, 100, 1, inner_loop, pool);
}
static void one_loop_at_a_time(void **state) {
    (void)state;
    check_abort(loop_in_a_loop, "one loop at a time");
    check_abort(loop_in_a_loop_alone, "one loop at a time");
}

static void limits_are_said(void **state) {
    (void)state;
    Fault fault;
    assert_null(pool_open(-1, false, &fault));
    assert_contains(fault.text, "1 to 256");
    assert_null(pool_open(1000, false, &fault));
    Pool *pool = pool_open(0, false, &fault);
    assert_int_equal(pool_threads(pool), cpu_count());
    pool_close(pool);
    pool_close(NULL);
    assert_int_equal(pool_threads(NULL), 1);
}

static void randomness_is_a_place(void **state) {
    (void)state;
    assert_true(rng_unit(1, 2, 3) == rng_unit(1, 2, 3));
    double row[100];
    assert_true(hash_bytes(HASH_START, "foobar", 6) == 0x85944171F73967E8u); /* published */
    rng_units(1, 2, 50, row, 100);
    for (uint64_t i = 0; i < 100; i++) assert_true(row[i] == rng_unit(1, 2, 50 + i));
    assert_true(rng_hash(1, 2, 3) != rng_hash(1, 2, 4) &&
                rng_hash(1, 2, 3) != rng_hash(1, 3, 2) &&
                rng_hash(1, 2, 3) != rng_hash(2, 2, 3));
    Rng rng = {7, 0, 0};
    double mean = 0, square = 0, normal = 0, spread = 0;
    int bins[10] = {0};
    for (int i = 0; i < 100000; i++) {
        double u = rng_next(&rng), z = rng_normal(&rng);
        assert_true(u >= 0 && u < 1);
        mean += u, square += u * u, normal += z, spread += z * z;
        bins[rng_below(&rng, 10)]++;
    }
    assert_near(mean / 1e5, 0.5, 0.005);
    assert_near(square / 1e5, 1.0 / 3, 0.005);
    assert_near(normal / 1e5, 0, 0.015);
    assert_near(spread / 1e5, 1, 0.02);
    for (int i = 0; i < 10; i++) assert_near(bins[i], 10000, 500);
    assert_int_equal(rng.counter, 400000);
}

static void the_clock_goes_on(void **state) {
    (void)state;
    double before = clock_seconds();
    Progress progress;
    progress_start(&progress, "work", "pieces", 10);
    progress.quiet = true;
    progress_show(&progress, 5);
    progress_end(&progress, 10);
    assert_true(clock_seconds() >= before);
}

RUN(TEST(every_output_once), TEST(many_rounds), TEST(one_loop_at_a_time), TEST(limits_are_said),
    TEST(randomness_is_a_place), TEST(the_clock_goes_on))
