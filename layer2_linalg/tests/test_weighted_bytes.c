/* weighted sums of bytes on every instruction set: an exact sum, then scaled */
#include "../src/kernels/kernel_table.h"
#include "check.h"
#include "linalg.h"

#include <math.h>

enum { COUNT = 17, ROWS = 64, N = 64, STEP = N + 3 };

static int8_t x[N * ROWS], a[COUNT * ROWS];
static int16_t wide[COUNT * ROWS];
static uint16_t x_scale[N];
static float a_scale[COUNT * 2];
static int32_t a_sum[COUNT * 2];

/* Often the largest allowed numbers. */
static int draw(uint64_t at, int most) {
    double u = rng_unit(7, 1, at);
    return u < 0.2 ? most : u < 0.4 ? -most : (int)((u - 0.7) * most * 3);
}

static void fill(size_t rows) {
    for (size_t i = 0; i < sizeof x; i++) x[i] = (int8_t)draw(i, 127);
    for (size_t i = 0; i < COUNT * ROWS; i++)
        a[i] = (int8_t)draw(9000 + i, 127), wide[i] = (int16_t)draw(20000 + i, 32767);
    for (size_t i = 0; i < N; i++) x_scale[i] = f16_from_f32((float)rng_unit(8, 1, i));
    for (size_t c = 0; c < COUNT; c++) {
        a_scale[2 * c] = (float)rng_unit(9, 1, c) - 0.5f, a_sum[2 * c] = 0;
        for (size_t j = 0; j < rows; j++) a_sum[2 * c] += a[c * ROWS + j];
    }
}

/* Row j, column i of a strip of groups: the picture of weighted_bytes.h, one after another. */
static double expected(size_t group, size_t c, size_t i, size_t rows, bool scaled, double y) {
    double sum = 0;
    size_t at = i / 16 * 16 * ROWS;
    for (size_t j = 0; j < rows; j += group, at += 16 * group)
        for (size_t g = 0; g < group; g++) {
            double factor = group == 4 ? a[c * ROWS + j + g] : wide[c * ROWS + j + g];
            sum += factor * x[at + i % 16 * group + g];
        }
    double scale = (double)a_scale[2 * c];
    return y + (scaled ? (double)((float)scale * f16_to_f32(x_scale[i])) : scale) * sum;
}

static void check_sums(const Kernels *isa, size_t group, size_t count, size_t rows, size_t n,
                       bool scaled) {
    static float got[COUNT * STEP], want[COUNT * STEP];
    for (size_t i = 0; i < COUNT * STEP; i++) got[i] = want[i] = (float)(i % 13);
    WeightedBytes t = {.y = got,
                       .y_step = STEP,
                       .a = group == 4 ? (const void *)a : (const void *)wide,
                       .a_step = ROWS,
                       .a_scale = a_scale,
                       .a_sum = a_sum,
                       .scale_step = 2,
                       .x = x,
                       .x_step = 16 * ROWS,
                       .x_scale = scaled ? x_scale : NULL,
                       .count = count,
                       .rows = rows,
                       .n = n};
    (group == 4 ? isa->weighted_quads : isa->weighted_pairs)(&t);
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < n; i++) {
            double y = expected(group, c, i, rows, scaled, (double)want[c * STEP + i]);
            /* the sum becomes a float and is added: two roundings */
            assert_near(got[c * STEP + i], y, 0x1.01p-23 * (fabs(y) + 13));
        }
    t.y = want;
    (group == 4 ? weighted_quads_scalar : weighted_pairs_scalar)(&t);
    assert_memory_equal(got, want, sizeof got);
}

static void sums_are_exact(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (size_t rows = 16; rows <= ROWS; rows += 16) {
        fill(rows);
        for (int isa = 0; isa < count; isa++)
            for (size_t results = 0; results <= COUNT; results++)
                for (size_t n = 16; n <= N; n += 16)
                    for (size_t group = 2; group <= 4; group += 2)
                        check_sums(list[isa], group, results, rows, n, results % 2);
    }
}

static void factors_are_the_nearest(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    fill(ROWS);
    for (int isa = 0; isa < count; isa++)
        for (size_t n = 0; n <= 64; n++) {
            float w[64], largest = 0;
            int16_t q[64], want[64];
            for (size_t i = 0; i < n; i++) {
                w[i] = (float)rng_unit(3, n, i);
                largest = fmaxf(largest, w[i] * f16_to_f32(x_scale[i]));
            }
            float unit = list[isa]->quantize_factors(w, x_scale, n, q);
            assert_near(unit, largest / 32767, 0);
            assert_near(quantize_factors_scalar(w, x_scale, n, want), unit, 0);
            assert_memory_equal(q, want, n * sizeof *q);
            for (size_t i = 0; i < n; i++)
                assert_near(unit * (float)q[i], w[i] * f16_to_f32(x_scale[i]), 0.502 * unit);
            if (n == 0) continue;
            w[n / 2] = NAN;
            assert_true(isnan(list[isa]->quantize_factors(w, x_scale, n, q)) && q[0] == 0);
            memset(w, 0, sizeof w);
            assert_near(list[isa]->quantize_factors(w, x_scale, n, q), 0, 0);
            assert_int_equal(q[n / 2], 0);
        }
}

static void bytes_are_the_nearest(void **state) {
    (void)state;
    for (size_t n = 1; n < 100; n++) {
        float numbers[100], scale[4];
        int8_t q[128];
        int32_t sum[4];
        uint64_t seed = n;
        for (size_t i = 0; i < n; i++) numbers[i] = check_noise(&seed);
        quantize_bytes(numbers, n, q, scale, sum);
        for (size_t b = 0; b < n; b += 32) {
            int total = 0;
            for (size_t i = b; i < b + 32; i++) {
                float number = i < n ? numbers[i] : 0;
                assert_near(scale[b / 32] * q[i], number, 0.502 * scale[b / 32]);
                total += q[i];
            }
            assert_int_equal(total, sum[b / 32]);
        }
    }
}

RUN(TEST(sums_are_exact), TEST(factors_are_the_nearest), TEST(bytes_are_the_nearest))
