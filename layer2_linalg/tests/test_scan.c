/* the scans: against double precision, and the same bits on every instruction set */
#include "../src/kernels/kernel_table.h"
#include "check.h"
#include "linalg.h"

enum { MAX_LENGTH = 2200 };

static float x[MAX_LENGTH + 8];

/* lengths around lanes, blocks and chunks */
static const size_t lengths[] = {1,  2,  15,  16,  17,   31,   32,   33,   63,
                                 64, 65, 127, 130, 1000, 1023, 1024, 1040, 2177};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void fill(size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) x[i] = 12 * tanhf(check_noise(&seed));
    for (size_t i = 3; i < n; i += 7) x[i] = -INFINITY;
}

static void sums_of_exponentials(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (size_t l = 0; l < LENGTHS; l++)
        for (size_t offset = 0; offset < 3; offset++) {
            size_t n = lengths[l];
            double sum = 0, weighted = 0, squares = 0, size = 0;
            fill(n + offset, l);
            for (size_t i = offset; i < n + offset; i++) {
                double d = (double)x[i] - 12, e = d < -43 ? 0 : exp(d);
                sum += e, squares += e * e;
                if (e > 0) weighted += d * e, size -= d * e;
            }
            ExpSums want = scan_exp_by(exp_lanes_scalar, x + offset, n, 12);
            assert_near(want.sum, sum, 1e-5 * sum);
            assert_near(want.weighted, weighted, 1e-5 * size);
            assert_near(want.squares, squares, 1e-5 * squares);
            for (int isa = 0; isa < count; isa++) {
                ExpSums got = scan_exp_by(list[isa]->exp_lanes, x + offset, n, 12);
                assert_memory_equal(&got, &want, sizeof got);
            }
        }
    ExpSums none = scan_exp((float[]){-INFINITY, -INFINITY}, 2, 0);
    assert_true(none.sum == 0 && none.weighted == 0 && none.squares == 0);
}

static void moments_of_the_finite(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (size_t l = 0; l < LENGTHS; l++) {
        size_t n = lengths[l], finite = 0;
        double sum = 0, squares = 0, size = 0;
        fill(n, l + 100);
        for (size_t i = 0; i < n; i++) {
            if (isinf(x[i])) continue;
            double d = (double)x[i] - 2;
            finite++, sum += d, size += fabs(d), squares += d * d;
        }
        Moments want = scan_moments_by(moment_lanes_scalar, x, n, 2);
        assert_int_equal(want.count, finite);
        assert_near(want.sum, sum, 1e-5 * size);
        assert_near(want.squares, squares, 1e-5 * squares);
        for (int isa = 0; isa < count; isa++) {
            Moments got = scan_moments_by(list[isa]->moment_lanes, x, n, 2);
            assert_memory_equal(&got, &want, sizeof got);
        }
    }
    assert_int_equal(scan_moments(x, 0, 0).count, 0);
}

static void block_maxima(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (size_t l = 0; l < LENGTHS; l++)
        for (int isa = 0; isa < count; isa++) {
            size_t n = lengths[l], blocks = (n + SCAN_SEGMENT - 1) / SCAN_SEGMENT;
            float got[MAX_LENGTH / SCAN_SEGMENT + 2], want[MAX_LENGTH / SCAN_SEGMENT + 2];
            fill(n, l);
            got[blocks] = 5;
            list[isa]->scan_segment_max(x, n, got);
            scan_segment_max_scalar(x, n, want);
            assert_memory_equal(got, want, blocks * sizeof *got);
            assert_true(got[blocks] == 5);
            for (size_t at = 0; at < n; at += 13) { /* NaN is found wherever it is */
                float was = x[at];
                x[at] = NAN;
                list[isa]->scan_segment_max(x, n, got);
                for (size_t b = 0; b < blocks; b++)
                    assert_true((isnan(got[b]) != 0) == (b == at / SCAN_SEGMENT));
                x[at] = was;
            }
        }
    float one;
    scan_segment_max(x, 1, &one);
    assert_true(one == x[0]);
}

static void survivors_in_order(void **state) {
    (void)state;
    static float out[MAX_LENGTH];
    static int32_t ids[MAX_LENGTH], out_ids[MAX_LENGTH];
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (int i = 0; i < MAX_LENGTH; i++) ids[i] = 3 * i + 1;
    for (size_t l = 0; l < LENGTHS; l++)
        for (int isa = 0; isa < count; isa++)
            for (float threshold = -13; threshold < 14; threshold += 4.5f) {
                size_t n = lengths[l], want = 0, got;
                fill(n, l);
                got = list[isa]->scan_keep(x, l % 2 ? ids : NULL, n, threshold, out, out_ids);
                for (size_t i = 0; i < n; i++) {
                    if (!(x[i] >= threshold)) continue;
                    assert_true(out[want] == x[i]);
                    assert_int_equal(out_ids[want++], l % 2 ? ids[i] : (int32_t)i);
                }
                assert_int_equal(got, want);
                size_t rest = list[isa]->scan_below(x, l % 2 ? ids : NULL, n, threshold,
                                                    out + got, out_ids + got);
                assert_int_equal(got + rest, n);
                for (size_t i = 0, k = got; i < n; i++)
                    if (!(x[i] >= threshold))
                        assert_true(out[k] == x[i] &&
                                    out_ids[k++] == (l % 2 ? ids[i] : (int32_t)i));
                assert_int_equal(list[isa]->scan_keep(x, NULL, n, threshold, x, out_ids), want);
                assert_memory_equal(x, out, want * sizeof *x); /* in place */
            }
    assert_int_equal(scan_keep(x, NULL, 0, 0, out, out_ids), 0);
    assert_int_equal(scan_below(x, NULL, 0, 0, out, out_ids), 0);
}

RUN(TEST(sums_of_exponentials), TEST(moments_of_the_finite), TEST(block_maxima),
    TEST(survivors_in_order))
