/* compare.c - every set of kernels that this machine has against the scalar ones, in a program of its own that needs
 * nothing but the C library: so it runs in emulators of other machines. */
#include "../../layer2_linalg/src/kernels/kernel_table.h"
#include "linalg.h"
#include "../real_bits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void expect(bool holds, const char *what, size_t n) {
    if (holds) return;
    printf("%s differs: %s, n = %zu\n", kernels()->isa, what, n);
    wrong++;
}

static void compare_dots(const Kernels *fast) {
    static const Dtype formats[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    DotTile *const tiles[] = {fast->dot_tile_f32, fast->dot_tile_f16, fast->dot_tile_bf16};
    float row[128], back[128], x[128], y;
    unsigned char stored[512];
    for (int f = 0; f < 3; f++)
        for (size_t n = 0; n < 100; n++) {
            for (size_t i = 0; i < n; i++)
                row[i] = (float)rng_unit(1, n, i) - 0.5f,
                x[i] = (float)rng_unit(2, n, i) - 0.5f;
            quantize_row(formats[f], row, NULL, stored, n);
            dequantize_row(formats[f], stored, back, n);
            double sum = 0, size = 0;
            tiles[f](&(DotTask){.w = stored, .x = x, .y = &y, .rows = 1, .cols = 1, .n = n});
            for (size_t i = 0; i < n; i++) {
                double p = (double)back[i] * (double)kernels_input(formats[f], x[i]);
                sum += p, size += fabs(p);
            }
            expect(fabs((double)y - sum) <= (double)(n + 1) * 0x1p-24 * size,
                   dtype_name(formats[f]), n);
        }
}

/* The same bits; where nothing multiplies and adds in one, a rounding more for each row, of three sums of products up to 20 * 20. */
static bool same_sums(const float *a, const float *b, size_t n, size_t rows) {
    if (strcmp(kernels()->isa, "wasm") != 0) return memcmp(a, b, n * sizeof *a) == 0;
    float largest = 400 * (float)(3 * rows + 1), bound = (float)(rows + 1) * 0x1p-24f * largest;
    for (size_t i = 0; i < n; i++)
        if (!(fabsf(a[i] - b[i]) <= bound)) return false;
    return true;
}

static void compare_vectors(const Kernels *fast, const Kernels *scalar) {
    float x[300], a[5 * 150], b[5 * 150];
    uint16_t halves[300];
    for (size_t n = 0; n < 150; n++) {
        for (size_t i = 0; i < 300; i++) x[i] = (float)(rng_unit(3, n, i) * 40 - 20);
        for (size_t i = 0; i < 750; i++) a[i] = b[i] = (float)rng_unit(4, n, i);
        size_t rows = n % 7, count = n % 6;
        fast->weighted_sum(&(WeightedTask){a, x, x, 150, 8, 18, count, rows, n});
        scalar->weighted_sum(&(WeightedTask){b, x, x, 150, 8, 18, count, rows, n});
        expect(same_sums(a, b, 750, rows), "weighted sum", n);
        for (size_t i = 0; i < 300; i++) halves[i] = f16_from_f32(x[i]);
        fast->weighted_sum_f16(&(WeightedTask){a, x, halves, 150, 8, 18, count, rows, n});
        scalar->weighted_sum_f16(&(WeightedTask){b, x, halves, 150, 8, 18, count, rows, n});
        expect(same_sums(a, b, 750, rows), "weighted sum of halves", n);
        memcpy(a, b, sizeof a);
        for (size_t i = 0; i < 300; i++) halves[i] = bf16_from_f32(x[i]);
        fast->weighted_sum_bf16(&(WeightedTask){a, x, halves, 150, 8, 18, count, rows, n});
        scalar->weighted_sum_bf16(&(WeightedTask){b, x, halves, 150, 8, 18, count, rows, n});
        expect(same_sums(a, b, 750, rows), "weighted sum of bf16", n);
        memcpy(a, b, sizeof a);
        WeightedSum *const sums[][2] = {{fast->weighted_sum_low4, scalar->weighted_sum_low4},
                                        {fast->weighted_sum_high4, scalar->weighted_sum_high4}};
        for (int f = 0; f < 2; f++) {
            sums[f][0](&(WeightedTask){a, x, halves, 150, 8, 18, count, rows, n});
            sums[f][1](&(WeightedTask){b, x, halves, 150, 8, 18, count, rows, n});
            for (size_t i = 0; i < 750; i++)
                a[i] = b[i] = same_sums(a + i, b + i, 1, 9 * rows) ? b[i] : NAN;
            expect(!isnan(vector_max(a, 750)), "weighted sum of nibbles", n);
        }
        memcpy(a, b, sizeof a);
        fast->vector_exp(a, x, 1, n), scalar->vector_exp(b, x, 1, n);
        expect(memcmp(a, b, n * sizeof *a) == 0, "exp", n);
        expect(fast->vector_max(x, n) == scalar->vector_max(x, n), "max", n);
        expect(fabsf(fast->vector_sum(x, n) - scalar->vector_sum(x, n)) < 1e-3f, "sum", n);
    }
}

/* Sums of integers, which are exact; without a fused multiply-add, wasm takes the scalar ones. */
static void compare_bytes(const Kernels *fast, const Kernels *scalar) {
    static int16_t factors[9 * 64], q[64], want_q[64];
    static int8_t x[64 * 64];
    static float a[9 * 64], b[9 * 64], scales[9], w[64];
    static int32_t totals[9];
    uint16_t halves[64];
    for (size_t i = 0; i < sizeof x; i++) x[i] = (int8_t)(rng_unit(20, 1, i) * 255 - 127);
    for (size_t i = 0; i < 64; i++)
        halves[i] = f16_from_f32((float)rng_unit(21, 1, i)), w[i] = (float)rng_unit(22, 1, i);
    for (size_t c = 0; c < 9; c++) scales[c] = (float)rng_unit(23, 1, c);
    for (size_t n = 16; n <= 64; n += 16)
        for (size_t count = 0; count <= 9; count++) {
            WeightedBytes t = {a,  factors, scales, totals, x,  halves, 64,
                               64, 1,       1024,   count,  64, n};
            for (size_t i = 0; i < 9 * 64; i++) a[i] = b[i] = (float)rng_unit(24, n, i);
            for (size_t i = 0; i < 9 * 64; i++)
                factors[i] = (int16_t)(rng_unit(25, n, i) * 65534 - 32767);
            fast->weighted_pairs(&t), t.y = b, scalar->weighted_pairs(&t);
            expect(memcmp(a, b, sizeof a) == 0, "weighted pairs", n);
            int8_t *bytes = (int8_t *)factors;
            for (size_t c = 0; c < 9; c++) {
                totals[c] = 0;
                for (size_t j = 0; j < 64; j++)
                    bytes[64 * c + j] = (int8_t)(rng_unit(26, c, j) * 254 - 127),
                                   totals[c] += bytes[64 * c + j];
            }
            t.y = a, fast->weighted_quads(&t), t.y = b, scalar->weighted_quads(&t);
            expect(memcmp(a, b, sizeof a) == 0, "weighted quads", n);
        }
    for (size_t n = 0; n <= 64; n++) {
        float unit = fast->quantize_factors(w, halves, n, q),
              want = scalar->quantize_factors(w, halves, n, want_q);
        expect(unit == want && memcmp(q, want_q, n * sizeof *q) == 0, "factors", n);
    }
}

static void compare_recurrences(const Kernels *fast, const Kernels *scalar) {
    static float before[5 * 100], decay[5 * 100], a[5 * 100], b[5 * 100];
    float in[5], x[100], y[100], out[5], want[5];
    for (size_t n = 0; n < 100; n++) {
        for (size_t i = 0; i < 500; i++)
            before[i] = (float)rng_unit(8, n, i) - 0.5f, decay[i] = (float)rng_unit(9, n, i);
        for (size_t i = 0; i < 100; i++)
            x[i] = (float)rng_unit(10, n, i) - 0.5f, y[i] = (float)rng_unit(11, n, i) - 0.5f;
        for (size_t i = 0; i < 5; i++) in[i] = (float)rng_unit(12, n, i);
        fast->recurrence_step(&(Recurrence){a, before, decay, in, x, y, out, 5, n});
        scalar->recurrence_step(&(Recurrence){b, before, decay, in, x, y, want, 5, n});
        expect(memcmp(a, b, 5 * n * sizeof *a) == 0, "recurrence", n);
        expect(memcmp(out, want, sizeof out) == 0, "recurrence, read", n);
    }
    for (size_t rows = 1; rows < 100; rows++) {
        static float got[100], right[100], left[7 * 16 * 4], kept[7 * 16 * 4];
        const float *numbers = before;
        StripRecurrence t = {left, numbers, decay, x,    y, rows % 2 ? y : NULL,
                             x,    x,       got,   rows, 4};
        fast->recurrence_strips(&t);
        t.after = kept, t.out = right;
        scalar->recurrence_strips(&t);
        expect(memcmp(left, kept, sizeof left) == 0, "recurrence in strips", rows);
        expect(memcmp(got, right, sizeof got) == 0, "recurrence in strips, read", rows);
    }
}

static void compare_scans(const Kernels *fast) {
    static float x[2100], out[2100], want[2100];
    static int32_t ids[2100], want_ids[2100];
    for (size_t n = 1; n < 2100; n += n < 140 ? 1 : 97) {
        for (size_t i = 0; i < n; i++)
            x[i] = i % 9 == 4 ? -INFINITY : (float)(rng_unit(7, n, i) * 20 - 10);
        ExpSums e = scan_exp_by(fast->exp_lanes, x, n, 10),
                f = scan_exp_by(exp_lanes_scalar, x, n, 10);
        expect(memcmp(&e, &f, sizeof e) == 0, "scan_exp", n);
        Moments m = scan_moments_by(fast->moment_lanes, x, n, 3),
                k = scan_moments_by(moment_lanes_scalar, x, n, 3);
        expect(memcmp(&m, &k, sizeof m) == 0, "scan_moments", n);
        fast->scan_segment_max(x, n, out), scan_segment_max_scalar(x, n, want);
        expect(memcmp(out, want, (n + 63) / 64 * sizeof *out) == 0, "scan_segment_max", n);
        size_t kept = fast->scan_keep(x, NULL, n, 2, out, ids),
               wanted = scan_keep_scalar(x, NULL, n, 2, want, want_ids);
        expect(kept == wanted && memcmp(out, want, kept * sizeof *out) == 0 &&
                   memcmp(ids, want_ids, kept * sizeof *ids) == 0,
               "scan_keep", n);
        kept = fast->scan_below(x, NULL, n, 2, out, ids);
        expect(kept + wanted == n, "scan_below", n);
    }
}

static void compare_products(void) {
    static float a[50 * 60], b[60 * 40], c[50 * 40], d[50 * 40];
    float *scratch = malloc(matmul_scratch_floats(1, 40) * sizeof *scratch);
    for (size_t i = 0; i < 3000; i++) a[i] = (float)rng_unit(5, 0, i);
    for (size_t i = 0; i < 2400; i++) b[i] = (float)rng_unit(6, 0, i);
    matmul_packed(NULL, 50, 40, 60, (Matrix){a, 60, 1}, (Matrix){b, 40, 1}, c, 40, false,
                  scratch);
    matmul_naive(50, 40, 60, (Matrix){a, 60, 1}, (Matrix){b, 40, 1}, d, 40, false);
    for (size_t i = 0; i < 2000; i++) expect(fabsf(c[i] - d[i]) < 1e-4f, "packed product", i);
    free(scratch);
}

/* Products of quantized weights are the same to the bit. */
static void compare_quantized(const char *isa) {
    static const Dtype formats[] = {DTYPE_Q4_0,  DTYPE_Q4_1, DTYPE_Q5_0, DTYPE_Q8_0,
                                    DTYPE_Q2_K,  DTYPE_Q3_K, DTYPE_Q4_K, DTYPE_IQ4_NL,
                                    DTYPE_Q6_K,  DTYPE_Q5_K, DTYPE_Q5_1, DTYPE_MXFP4,
                                    DTYPE_NVFP4, DTYPE_Q1_0, DTYPE_TQ2_0};
    static float w[19 * 512], x[23 * 512], y[23 * 19], z[23 * 19];
    static unsigned char stored[19 * 512 * 2], packed_data[1 << 17];
    static char scratch[1 << 15];
    for (size_t i = 0; i < 19 * 512; i++) w[i] = (float)rng_unit(7, 0, i) - 0.5f;
    for (size_t i = 0; i < 23 * 512; i++) x[i] = (float)rng_unit(8, 0, i) - 0.5f;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        PackedWeights packed;
        quantize_row(formats[f], w, NULL, stored, 19 * 512);
        Tensor t = tensor_view(formats[f], 2, (size_t[]){19, 512}, stored);
        kernels_select("scalar", NULL);
        matmul_weights(NULL, &t, NULL, x, 23, y, scratch);
        kernels_select(isa, NULL);
        packed_fill(NULL, &packed, &t, packed_data);
        matmul_weights(NULL, &t, NULL, x, 23, z, scratch);
        expect(memcmp(y, z, sizeof y) == 0, "weights", f);
        matmul_weights(NULL, &t, &packed, x, 23, z, scratch);
        expect(memcmp(y, z, sizeof y) == 0, "packed weights", f);
        matmul_weights(NULL, &t, &packed, x, 1, z, scratch);
        expect(memcmp(y, z, 19 * sizeof *y) == 0, "packed weights, one column", f);
    }
}

int main(void) {
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (int i = 1; i < count; i++) {
        kernels_select(list[i]->isa, NULL);
        compare_dots(list[i]);
        compare_vectors(list[i], list[0]);
        compare_bytes(list[i], list[0]);
        compare_recurrences(list[i], list[0]);
        compare_scans(list[i]);
        compare_products();
        compare_quantized(list[i]->isa);
        printf("%s: %s\n", list[i]->isa,
               wrong ? "WRONG" : "every kernel agrees with the scalar ones");
        fflush(stdout);
    }
    for (uint32_t i = 0; i < 65536; i++) {
        float value = f16_to_f32((uint16_t)i);
        if (!isnan(value) && f16_from_f32(value) != i) wrong++, printf("half %u differs\n", i);
    }
    if (real_bits() != REAL_BITS) wrong++, printf("exp, log, cos or sin differ\n");
    if (count < 2) printf("there is only the scalar set\n");
    return wrong != 0 || count < 2;
}
