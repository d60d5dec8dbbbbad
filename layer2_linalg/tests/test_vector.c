/* axpy, weighted sum, sum, max, mask, exp on every instruction set */
#include "../src/kernels/kernel_table.h"
#include "check.h"
#include "linalg.h"

static void weighted_sum_is_bit_exact(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    uint64_t seed = 1;
    for (int isa = 0; isa < count; isa++)
        for (size_t n = 0; n < 150; n++) {
            static float x[10 * 100], y[7 * 151], want[7 * 151], a[7 * 6];
            size_t rows = n % 6, results = n % 8, step = n + 1, strip = 16 * rows + n % 5;
            for (size_t i = 0; i < 1000; i++) x[i] = check_noise(&seed);
            for (size_t i = 0; i < results * step; i++) y[i] = want[i] = check_noise(&seed);
            for (size_t i = 0; i < 7 * 6; i++) a[i] = check_noise(&seed);
            for (size_t j = 0; j < rows; j++) { /* axpy with one row after the other */
                float row[150];
                for (size_t k = 0; k < n; k++) row[k] = x[k / 16 * strip + 16 * j + k % 16];
                for (size_t c = 0; c < results; c++)
                    axpy_scalar(want + c * step, a[c * 6 + j], row, n);
            }
            const WeightedTask task = {y, a, x, step, 6, strip, results, rows, n};
            list[isa]->weighted_sum(&task);
            assert_memory_equal(y, want, results * step * sizeof *y);

            static uint16_t halves[10 * 100];
            WeightedTask half_task = task, want_task = task;
            for (size_t i = 0; i < 1000; i++)
                halves[i] = f16_from_f32(x[i]), x[i] = f16_to_f32(halves[i]);
            half_task.x = halves, want_task.y = want;
            weighted_sum_scalar(&want_task);
            list[isa]->weighted_sum_f16(&half_task);
            assert_memory_equal(y, want, results * step * sizeof *y);
        }
    float y[2] = {1, 2}, once[1] = {-1};
    axpy(y, 2, (float[]){10, 20}, 2);
    assert_near(y[1], 42, 0);
    axpy_scalar(once, 1 + 0x1p-13f, (float[]){1 - 0x1p-13f}, 1);
    assert_near(once[0], -0x1p-26, 0); /* rounded once: the product alone would round to 1 */
}

/* Number i of x, as a float. */
static float plain(StripFormat format, const unsigned char *x, size_t i) {
    uint16_t half;
    memcpy(&half, x + 2 * i * (format == STRIP_F16 || format == STRIP_BF16), 2);
    switch (format) {
    case STRIP_F16: return f16_to_f32(half);
    case STRIP_BF16: return bf16_to_f32(half);
    case STRIP_LOW4: return (float)(x[i] % 16) - 8;
    default: return (float)(x[i] / 16) - 8;
    }
}

static void every_format_is_the_sum_of_its_numbers(void **state) {
    (void)state;
    static unsigned char bytes[2 * 1000];
    static float x[1000];
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    uint64_t seed = 3;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)rng_hash(9, 0, i);
    for (size_t i = 1; i < sizeof bytes; i += 2)
        bytes[i] &= 0xBF; /* as halves, none is infinite or NaN */
    for (StripFormat format = STRIP_F16; format <= STRIP_HIGH4; format++) {
        for (size_t i = 0; i < 1000; i++) x[i] = plain(format, bytes, i);
        for (int isa = 0; isa < count; isa++)
            for (size_t n = 0; n < 150; n++) {
                float y[7 * 151], want[7 * 151], a[7 * 6];
                size_t rows = n % 6, results = n % 8, step = n + 1, strip = 16 * rows + n % 5;
                for (size_t i = 0; i < results * step; i++) y[i] = want[i] = check_noise(&seed);
                for (size_t i = 0; i < 7 * 6; i++) a[i] = check_noise(&seed);
                WeightedTask task = {want, a, x, step, 6, strip, results, rows, n};
                weighted_sum_scalar(&task);
                task.y = y, task.x = bytes;
                WeightedSum *const sums[] = {
                    NULL, list[isa]->weighted_sum_f16, list[isa]->weighted_sum_bf16,
                    list[isa]->weighted_sum_low4, list[isa]->weighted_sum_high4};
                sums[format](&task);
                assert_memory_equal(y, want, results * step * sizeof *y);
            }
    }
}

static void a_rotation_keeps_lengths_and_is_its_own_inverse(void **state) {
    (void)state;
    float x[320], before[320];
    uint64_t seed = 5;
    assert_int_equal(hadamard_block(96), 32), assert_int_equal(hadamard_block(1024), 256);
    assert_int_equal(hadamard_block(7), 1);
    for (size_t n = 1; n <= 320; n++) {
        double square = 0, turned = 0;
        for (size_t i = 0; i < n; i++) before[i] = x[i] = check_noise(&seed);
        hadamard(x, n, hadamard_block(n));
        for (size_t i = 0; i < n; i++)
            square += (double)before[i] * (double)before[i],
                turned += (double)x[i] * (double)x[i];
        assert_near(turned, square, 1e-5 * square);
        hadamard(x, n, hadamard_block(n));
        for (size_t i = 0; i < n; i++) assert_near(x[i], before[i], 1e-5);
    }
    memset(x, 0, sizeof x), x[5] = 16;
    hadamard(x, 256, 256);
    for (size_t i = 0; i < 256; i++)
        assert_near(fabs((double)x[i]), 1, 0); /* one number becomes all */
}

static void sums_keep_the_bound(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    uint64_t seed = 2;
    for (int isa = 0; isa < count; isa++)
        for (size_t n = 0; n < 200; n++) {
            float x[200];
            double sum = 0, size = 0;
            for (size_t i = 0; i < n; i++)
                x[i] = check_noise(&seed), sum += (double)x[i], size += fabs((double)x[i]);
            assert_near(list[isa]->vector_sum(x, n), sum, (double)n * 0x1p-24 * size);
        }
    assert_near(vector_sum((float[]){1, 2, 3}, 3), 6, 0);
}

static void max_finds_the_largest_and_nan(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (int isa = 0; isa < count; isa++)
        for (size_t n = 1; n < 50; n++)
            for (size_t at = 0; at < n; at++) {
                float x[50];
                for (size_t i = 0; i < n; i++) x[i] = -1 - (float)i;
                x[at] = -0.5f;
                assert_true(list[isa]->vector_max(x, n) == -0.5f);
                x[at] = NAN;
                assert_true(isnan(list[isa]->vector_max(x, n)));
            }
    assert_true(vector_max(NULL, 0) == -INFINITY);
}

static void a_mask_leaves_what_its_bits_say(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    uint64_t seed = 5;
    for (size_t n = 0; n < 260; n++) {
        float x[260], got[260];
        uint64_t bits[5];
        for (size_t w = 0; w < 5; w++) /* words of ones, of zeros and of both */
            bits[w] = (n + w) % 3 == 0 ? UINT64_MAX : (n + w) % 3 == 1 ? 0 : rng_hash(1, n, w);
        for (size_t i = 0; i < 260; i++) x[i] = i % 7 ? check_noise(&seed) : NAN;
        for (int isa = 0; isa < count; isa++) {
            memcpy(got, x, sizeof got);
            list[isa]->vector_mask(got, bits, n);
            for (size_t i = 0; i < 260; i++) {
                bool stays = i >= n || (bits[i / 64] >> (i % 64) & 1);
                const float want = stays ? x[i] : -INFINITY;
                assert_memory_equal(&got[i], &want, sizeof want);
            }
        }
    }
    vector_mask(NULL, NULL, 0);
}

/* in units of the last place of the exact result */
static double ulp_error(float got, double exact) {
    int exponent;
    frexp(exact, &exponent);
    return fabs((double)got - exact) / ldexp(1, exponent - 24);
}

static void exp_is_within_three_ulp(void **state) {
    (void)state;
    double worst = 0;
    float x[64], y[64];
    for (double v = -87; v < 88; v += 64e-5) {
        for (int i = 0; i < 64; i++) x[i] = (float)(v + i * 1e-5);
        vector_exp(y, x, 0, 64);
        for (int i = 0; i < 64; i++) worst = fmax(worst, ulp_error(y[i], exp((double)x[i])));
    }
    assert_near(worst, 0, 3);
}

static void exp_is_the_same_everywhere(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    uint64_t seed = 3;
    for (int round = 0; round < 20000; round++) {
        float x[37], want[37], got[37];
        for (int i = 0; i < 37; i++) x[i] = check_noise(&seed) * 40;
        vector_exp_scalar(want, x, 1.25f, 37);
        for (int isa = 1; isa < count; isa++) {
            list[isa]->vector_exp(got, x, 1.25f, 37);
            assert_memory_equal(got, want, sizeof got);
        }
    }
    float edge[9] = {-INFINITY, INFINITY, NAN, -104, -100, 88.7f, 88.8f, 0, -0.0f}, y[9];
    for (int isa = 0; isa < count; isa++) {
        list[isa]->vector_exp(y, edge, 0, 9);
        assert_true(y[0] == 0 && isinf(y[1]) && isnan(y[2]) && y[4] > 0 && !isinf(y[5]) &&
                    isinf(y[6]) && y[7] == 1 && y[8] == 1);
    }
}

RUN(TEST(weighted_sum_is_bit_exact), TEST(every_format_is_the_sum_of_its_numbers),
    TEST(a_rotation_keeps_lengths_and_is_its_own_inverse), TEST(sums_keep_the_bound),
    TEST(max_finds_the_largest_and_nan), TEST(a_mask_leaves_what_its_bits_say),
    TEST(exp_is_within_three_ulp), TEST(exp_is_the_same_everywhere))
