/* training with scalar kernels: these weights, whatever the machine */
#include "tiny_training.h"

/* The same digests come from other compilers, C libraries and machines: tests/kernels/train.c
 * runs under an emulator (tests/check.sh). */
static void scalar_weights_are_the_same_everywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof train_bits / sizeof *train_bits; i++)
        for (int threads = 1; threads <= 3; threads++) {
            Pool *pool = pool_open(threads, false, NULL);
            assert_true(kernels_select("scalar", NULL));
            uint64_t got = tiny_digest(&train_bits[i], pool);
            kernels_select(NULL, NULL), pool_close(pool);
            if (got != train_bits[i].scalar)
                fail_msg("%s, %d threads: got 0x%016llx, wanted 0x%016llx", train_bits[i].what,
                         threads, (unsigned long long)got,
                         (unsigned long long)train_bits[i].scalar);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(scalar_weights_are_the_same_everywhere)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
