/* the step of a recurrence on every instruction set */
#include "../src/kernel_table.h"
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
static void step(RecurrenceStep *run, size_t n, bool shared, bool in_place, float *after,
                 float *out) {
    uint64_t seed = n;
    for (size_t i = 0; i < ROWS * n; i++)
        before[i] = check_noise(&seed), decay[i] = check_noise(&seed);
    for (size_t i = 0; i < n; i++) b[i] = check_noise(&seed), c[i] = check_noise(&seed);
    for (size_t r = 0; r < ROWS; r++) in[r] = check_noise(&seed);
    memcpy(after, before, sizeof before);
    run(&(Recurrence){after, in_place ? after : before, decay, shared ? 0 : n, in, b, c, out,
                      ROWS, n});
}

static void every_set_gives_the_same_bits(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (int isa = 0; isa < count; isa++)
        for (size_t n = 0; n < WIDEST; n++)
            for (int how = 0; how < 4; how++) {
                float want[ROWS * WIDEST], got[ROWS * WIDEST], want_out[ROWS], got_out[ROWS];
                step(recurrence_step_scalar, n, how % 2, false, want, want_out);
                step(list[isa]->recurrence_step, n, how % 2, how / 2, got, got_out);
                assert_memory_equal(got, want, sizeof got);
                assert_memory_equal(got_out, want_out, sizeof got_out);
            }
}

/* Against f64: each state is rounded twice, each sum as a sum of n products is. */
static void the_scalar_one_keeps_its_bound(void **state) {
    (void)state;
    for (size_t n = 1; n < WIDEST; n++) {
        float after[ROWS * WIDEST], out[ROWS];
        step(recurrence_step_scalar, n, false, false, after, out);
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

RUN(TEST(one_row_by_hand), TEST(every_set_gives_the_same_bits),
    TEST(the_scalar_one_keeps_its_bound))
