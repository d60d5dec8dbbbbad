/* training with scalar kernels: these weights, whatever the machine; and AdamW without Muon */
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

/* Without momentum AdamW updates the matrices, too: its first step is the gradient over its
 * magnitude. */
static void adamw_learns_all_weights(void **state) {
    (void)state;
    TrainConfig c = tiny();
    c.momentum = 0;
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *t = make(&c, &corpus, NULL);
    float *before = malloc(t->size * sizeof *before);
    memcpy(before, t->values, t->size * sizeof *before);
    TrainStep step = trainer_step(t);
    double scale = step.gradient_norm > c.clip ? c.clip / step.gradient_norm : 1;
    for (size_t i = 0; i < t->n_parameters; i++) {
        const Parameter *p = &t->parameters[i];
        double decay = p->rows > 1 ? c.weight_decay : 0;
        for (size_t k = p->offset; k < p->offset + p->rows * p->cols; k++) {
            double g = (double)t->gradients[k] * scale, w = (double)before[k],
                   u = g / (fabs(g) + c.epsilon) + decay * w;
            assert_near(t->values[k], w - step.rate * u, 1e-4 * step.rate + 1e-7 * fabs(w));
        }
    }
    free(before), trainer_close(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(scalar_weights_are_the_same_everywhere),
                                       TEST(adamw_learns_all_weights)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
