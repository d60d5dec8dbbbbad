/* exp, log, cos and sin against libm's with more digits, and their bits */
#include "check.h"
#include "tensor.h"
#include "real_bits.h"

#include <math.h>

static void reals_are_close(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        double u = rng_unit(3, 4, i), x = (u - 0.5) * (i % 2 ? 1400 : 2), y = u * 4 + 0x1p-60,
               angle = (u - 0.5) * (i % 2 ? 2e6 : 8), cosine, sine;
        if (i % 3 == 0) y = real_exp(x);
        real_turn(angle, &cosine, &sine);
        assert_true(fabsl((long double)real_exp(x) / expl((long double)x) - 1) < 1e-15L);
        assert_near(real_log(y), logl((long double)y), 1e-15 * fabs(log(y)));
        assert_near(cosine, cosl((long double)angle), 1e-15);
        assert_near(sine, sinl((long double)angle), 1e-15);
    }
    double cosine, sine;
    real_turn(0, &cosine, &sine);
    assert_true(cosine == 1 && sine == 0 && real_exp(0) == 1 && real_log(1) == 0);
    assert_true(real_exp(-1e300) == real_exp(-700) && real_exp(INFINITY) == real_exp(700));
    real_turn((double)INFINITY, &cosine, &sine);
    assert_true(isnan(cosine) && isnan(sine) && isnan(real_exp((double)NAN)));
    assert_true(isnan(real_log((double)NAN)));
}

static void reals_have_these_bits(void **state) {
    (void)state;
    assert_true(real_bits() == REAL_BITS);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(reals_are_close), TEST(reals_have_these_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
