/* the step of a recurrence on every instruction set */
#include "../src/kernels/kernel_table.h"
#include "check.h"
#include "linalg.h"

enum { ROWS = 5, WIDEST = 150 };

static void one_row_by_hand(void **state) {
    (void)state;
    float numbers[2] = {4, 6}, out;
    const float decay[2] = {0.5f, 1}, b[2] = {1, 2}, c[2] = {10, 100}, in = 3;
    recurrence_step(&(Recurrence){.after = numbers,
                                  .before = numbers,
                                  .decay = decay,
                                  .in = &in,
                                  .b = b,
                                  .c = c,
                                  .out = &out,
                                  .rows = 1,
                                  .n = 2});
    assert_near(numbers[0], 4 * 0.5 + 3 * 1, 0);
    assert_near(numbers[1], 6 * 1 + 3 * 2, 0);
    assert_near(out, 5 * 10 + 12 * 100, 0);
}

static float before[ROWS * WIDEST], decay[ROWS * WIDEST], b[WIDEST], c[WIDEST], in[ROWS];

/* A step of some size with random numbers; results in after and out. */
static void step(RecurrenceStep *run, size_t n, bool in_place, float *after, float *out) {
    uint64_t seed = n;
    for (size_t i = 0; i < ROWS * n; i++)
        before[i] = check_noise(&seed), decay[i] = check_noise(&seed);
    for (size_t i = 0; i < n; i++) b[i] = check_noise(&seed), c[i] = check_noise(&seed);
    for (size_t r = 0; r < ROWS; r++) in[r] = check_noise(&seed);
    memcpy(after, before, sizeof before);
    run(&(Recurrence){after, in_place ? after : before, decay, in, b, c, out, ROWS, n});
}

static void every_set_gives_the_same_bits(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (int isa = 0; isa < count; isa++)
        for (size_t n = 0; n < WIDEST; n++)
            for (int in_place = 0; in_place < 2; in_place++) {
                float want[ROWS * WIDEST], got[ROWS * WIDEST], want_out[ROWS], got_out[ROWS];
                step(recurrence_step_scalar, n, false, want, want_out);
                step(list[isa]->recurrence_step, n, in_place, got, got_out);
                assert_memory_equal(got, want, sizeof got);
                assert_memory_equal(got_out, want_out, sizeof got_out);
            }
}

/* Against f64: each state is rounded twice, each sum as a sum of n products is. */
static void the_scalar_one_keeps_its_bound(void **state) {
    (void)state;
    for (size_t n = 1; n < WIDEST; n++) {
        float after[ROWS * WIDEST], out[ROWS];
        step(recurrence_step_scalar, n, false, after, out);
        for (size_t r = 0; r < ROWS; r++) {
            double sum = 0, size = 0;
            for (size_t i = 0; i < n; i++) {
                double old = (double)decay[r * n + i] * (double)before[r * n + i],
                       new = old + (double)in[r] * (double)b[i];
                assert_near(after[r * n + i], new, 0x1p-23 * (fabs(old) + fabs(new)));
                sum += (double)after[r * n + i] * (double)c[i];
                size += fabs((double)after[r * n + i] * (double)c[i]);
            }
            assert_near(out[r], sum, (double)(n + 4) * 0x1p-24 * size);
        }
    }
}

/* ------------------------------------------------------------------ rows in strips */

enum { STRIP_ROWS = 83, STRIP_NUMBERS = 96 * 40 };

typedef struct Strips {
    float before[STRIP_NUMBERS], after[STRIP_NUMBERS], decay[40], b[40], b2[40], c[40];
    float in[STRIP_ROWS], in2[STRIP_ROWS], out[STRIP_ROWS + 1];
} Strips;

static StripRecurrence strips_task(Strips *s, size_t rows, size_t n, bool both, bool in_place) {
    uint64_t seed = rows * 64 + n;
    float *const all[] = {s->before, s->decay, s->b, s->b2, s->c, s->in, s->in2};
    const size_t sizes[] = {STRIP_NUMBERS, 40, 40, 40, 40, STRIP_ROWS, STRIP_ROWS};
    for (size_t k = 0; k < 7; k++)
        for (size_t i = 0; i < sizes[k]; i++) all[k][i] = check_noise(&seed);
    memcpy(s->after, s->before, sizeof s->after), s->out[rows] = -7;
    return (StripRecurrence){.after = s->after,
                             .before = in_place ? s->after : s->before,
                             .decay = s->decay,
                             .in = s->in,
                             .b = s->b,
                             .in2 = both ? s->in2 : NULL,
                             .b2 = s->b2,
                             .c = s->c,
                             .out = s->out,
                             .rows = rows,
                             .n = n};
}

static void every_set_takes_strips_alike(void **state) {
    (void)state;
    static Strips want, got;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (int isa = 0; isa < count; isa++)
        for (size_t rows = 0; rows <= STRIP_ROWS; rows++)
            for (size_t how = 0; how < 4; how++) {
                size_t n = (rows * 7 + how) % 40;
                StripRecurrence right = strips_task(&want, rows, n, how % 2, false),
                                mine = strips_task(&got, rows, n, how % 2, how / 2);
                recurrence_strips_scalar(&right), list[isa]->recurrence_strips(&mine);
                assert_memory_equal(want.after, got.after, sizeof got.after);
                assert_memory_equal(want.out, got.out, rows * sizeof *got.out);
                assert_true(got.out[rows] == -7);
            }
}

/* Against f64: a state is rounded once for each of its terms, a sum as a sum of n products
 * is. */
static void strips_keep_their_bound(void **state) {
    (void)state;
    static Strips s;
    for (size_t n = 1; n < 40; n++) {
        StripRecurrence t = strips_task(&s, STRIP_ROWS, n, n % 2, false);
        recurrence_strips(&t);
        for (size_t r = 0; r < STRIP_ROWS; r++) {
            double sum = 0, size = 0;
            for (size_t i = 0; i < n; i++) {
                size_t at = r / 16 * 16 * n + 16 * i + r % 16;
                double old = (double)s.decay[i] * (double)s.before[at],
                       one = (double)s.in[r] * (double)s.b[i],
                       two = n % 2 ? (double)s.in2[r] * (double)s.b2[i] : 0;
                assert_near(s.after[at], old + one + two,
                            0x1.8p-23 * (fabs(old) + fabs(one) + fabs(two)));
                sum += (double)s.after[at] * (double)s.c[i];
                size += fabs((double)s.after[at] * (double)s.c[i]);
            }
            assert_near(s.out[r], sum, (double)n * 0x1.01p-24 * size);
        }
    }
}

RUN(TEST(one_row_by_hand), TEST(every_set_gives_the_same_bits),
    TEST(the_scalar_one_keeps_its_bound), TEST(every_set_takes_strips_alike),
    TEST(strips_keep_their_bound))
