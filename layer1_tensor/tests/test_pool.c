/* pool, rng, clock */
#include "check.h"
#include "tensor.h"

#include <stdatomic.h>
#include <sys/resource.h>

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

/* Worker 1 stays four times as long as the caller worked, and 20 ms. */
static double round_begun;
static atomic_bool inside;
static _Atomic(double) caller_left;
static void stay_behind(void *context, int worker, size_t begin, size_t end) {
    (void)context, (void)begin, (void)end;
    if (worker == 0) {
        while (!atomic_load(&inside)) {}
        atomic_store(&caller_left, clock_seconds());
        return;
    }
    atomic_store(&inside, true);
    while (atomic_load(&caller_left) == 0) {}
    double until = round_begun + 4 * (atomic_load(&caller_left) - round_begun) + 0.02;
    while (clock_seconds() < until) {}
}

/* After a late worker the next loop runs without help, then 3, 7 ... 1023. */
static void late_workers_are_left_alone(void **state) {
    (void)state;
    Fault fault;
    Pool *pool = pool_open(2, false, &fault);
    for (int round = 0, alone = 1; round < 12;
         round++, alone = alone < 1023 ? 2 * alone + 1 : 1023) {
        atomic_store(&inside, false), atomic_store(&caller_left, 0);
        round_begun = clock_seconds();
        pool_for(pool, 2, 1, stay_behind, NULL);
        for (int i = 0; i < alone; i++) {
            static Marks m;
            pool_for(pool, 100, 1, mark, &m);
            assert_int_equal(m.workers[1], 0);
        }
    }
    pool_close(pool);
}

/* Sanitizers reserve more address space than the next test leaves. */
#ifdef __has_feature
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* In a process with little address space left. */
static void threads_that_the_system_refuses(void **state) {
    (void)state;
#if SANITIZED || !defined(__linux__)
    skip();
#endif
    pid_t child = fork();
    if (child == 0) {
        Fault fault = {""};
        setrlimit(RLIMIT_AS, &(struct rlimit){1 << 28, 1 << 28});
        exit(pool_open(256, false, &fault) || !strstr(fault.text, "the system gave only"));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
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
    progress.shown -= 20;
    progress_show(&progress, 5);
    progress_end(&progress, 10);
    assert_true(clock_seconds() >= before);
    assert_true(percentile((double[]){1}, 0, 0.5) == 0);
    assert_true(percentile((double[]){3, 1, 2}, 3, 0.5) == 2);
}

static void progress_of(const Progress *like, double done) {
    Progress progress = *like;
    progress_show(&progress, done);
    progress_show(&progress, done); /* too soon for another one */
    progress_end(&progress, done);
}

/* On a terminal the line is written over the one before. */
static void progress_is_said(void **state) {
    (void)state;
    static const struct {
        double total, done;
        bool terminal;
        const char *says;
    } cases[] = {{10, 5, false, "work  [##########..........]  50 %"},
                 {0, 5, false, "work  [####################] 100 %"},
                 {10, 0, true, "\rwork  [....................]   0 %"},
                 {10, 0, true, " 0:00 left  \rwork: 0 pieces in "},
                 {10, 10, false, " 0:00 left\nwork: 10 pieces in "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000] = "";
        int before = dup(STDERR_FILENO);
        FILE *said = tmpfile();
        dup2(fileno(said), STDERR_FILENO);
        Progress progress;
        progress_start(&progress, "work", "pieces", cases[i].total);
        progress.terminal = cases[i].terminal, progress.shown -= 20;
        progress_of(&progress, cases[i].done);
        dup2(before, STDERR_FILENO), close(before), rewind(said);
        text[fread(text, 1, sizeof text - 1, said)] = 0;
        fclose(said);
        assert_contains(text, cases[i].says);
    }
}

RUN(TEST(every_output_once), TEST(many_rounds), TEST(one_loop_at_a_time), TEST(limits_are_said),
    TEST(late_workers_are_left_alone), TEST(threads_that_the_system_refuses),
    TEST(randomness_is_a_place), TEST(the_clock_goes_on), TEST(progress_is_said))
