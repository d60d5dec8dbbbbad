/* half: all 65,536 patterns, both ways */
#include "check.h"
#include "tensor.h"

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/* by definition: sign * 2^(exponent - 15) * 1.fraction, in double */
static double f16_exact(uint16_t half) {
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double magnitude =
        exponent ? ldexp(1 + fraction / 1024.0, exponent - 15) : ldexp(fraction, -24);
    return half >> 15 ? -magnitude : magnitude;
}

static void widening_is_exact(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t half = (uint16_t)i;
        float value = f16_to_f32(half);
        if ((half & 0x7C00) == 0x7C00) {
            if (half & 0x3FF)
                assert_true(isnan(value));
            else
                assert_true(isinf(value) && (value < 0) == (half >> 15));
        } else {
            assert_true((double)value == f16_exact(half));
            assert_int_equal(signbit(value) != 0, half >> 15);
            assert_int_equal(f16_from_f32(value), half);
        }
        assert_int_equal(bits_of(bf16_to_f32(half)), i << 16);
        if (!isnan(bf16_to_f32(half)))
            assert_int_equal(bf16_from_f32(bf16_to_f32(half)), half);
        else
            assert_true(isnan(bf16_to_f32(bf16_from_f32(bf16_to_f32(half)))));
    }
}

/* halfway cases go to the even neighbour, everything else to the nearer one */
static void narrowing_rounds_to_nearest_even(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 0x7BFF; i++) {
        double low = f16_exact((uint16_t)i), high = f16_exact((uint16_t)(i + 1)),
               middle = (low + high) / 2;
        uint16_t even = (uint16_t)(i % 2 ? i + 1 : i);
        assert_int_equal(f16_from_f32((float)middle), even);
        assert_int_equal(f16_from_f32(nextafterf((float)middle, 0)), i);
        assert_int_equal(f16_from_f32(nextafterf((float)middle, INFINITY)), i + 1);
    }
    assert_int_equal(f16_from_f32(65519.99f), 0x7BFF);
    assert_int_equal(f16_from_f32(float_of(0xFF800001)), 0xFE00); /* a NaN stays one */
    assert_int_equal(f16_from_f32(65520.0f), 0x7C00);
    assert_int_equal(bf16_from_f32(float_of(0x3F808000)), 0x3F80);
    assert_int_equal(bf16_from_f32(float_of(0x3F818000)), 0x3F82);
    assert_int_equal(bf16_from_f32(float_of(0x3F808001)), 0x3F81);
}

RUN(TEST(widening_is_exact), TEST(narrowing_rounds_to_nearest_even))
