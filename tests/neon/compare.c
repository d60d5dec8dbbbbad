/* compare.c - the NEON kernels against the scalar ones, in a program of its own that runs under
 * qemu-user without cmocka. */
#include "linalg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void expect(bool holds, const char *what, size_t n) {
    if (holds) return;
    printf("NEON differs: %s, n = %zu\n", what, n);
    wrong++;
}

static void compare_dots(const Kernels *neon) {
    static const Dtype formats[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    DotTile *const tiles[] = {neon->tile_f32, neon->tile_f16, neon->tile_bf16};
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
            for (size_t i = 0; i < n; i++)
                sum += (double)back[i] * (double)x[i],
                    size += fabs((double)back[i] * (double)x[i]);
            tiles[f](stored, 0, 1, x, 0, 1, n, &y, 0);
            expect(fabs((double)y - sum) <= (double)(n + 1) * 0x1p-24 * size,
                   dtype_name(formats[f]), n);
        }
}

static void compare_vectors(const Kernels *neon, const Kernels *scalar) {
    float x[70], a[70], b[70];
    for (size_t n = 0; n < 70; n++) {
        for (size_t i = 0; i < n; i++)
            x[i] = (float)(rng_unit(3, n, i) * 40 - 20), a[i] = b[i] = (float)rng_unit(4, n, i);
        neon->weighted_sum(a, x, x, 0, n, n), scalar->weighted_sum(b, x, x, 0, n, n);
        expect(memcmp(a, b, n * sizeof *a) == 0, "weighted sum", n);
        neon->exp(a, x, 1, n), scalar->exp(b, x, 1, n);
        expect(memcmp(a, b, n * sizeof *a) == 0, "exp", n);
        expect(neon->max(x, n) == scalar->max(x, n), "max", n);
        expect(fabsf(neon->sum(x, n) - scalar->sum(x, n)) < 1e-3f, "sum", n);
    }
}

static void compare_scans(const Kernels *neon) {
    static float x[2100], out[2100], want[2100];
    static int32_t ids[2100], want_ids[2100];
    for (size_t n = 1; n < 2100; n += n < 140 ? 1 : 97) {
        for (size_t i = 0; i < n; i++)
            x[i] = i % 9 == 4 ? -INFINITY : (float)(rng_unit(7, n, i) * 20 - 10);
        ExpSums e = neon->scan_exp(x, n, 10), f = scan_exp_scalar(x, n, 10);
        expect(memcmp(&e, &f, sizeof e) == 0, "scan_exp", n);
        Moments m = neon->scan_moments(x, n, 3), k = scan_moments_scalar(x, n, 3);
        expect(memcmp(&m, &k, sizeof m) == 0, "scan_moments", n);
        neon->scan_block_max(x, n, out), scan_block_max_scalar(x, n, want);
        expect(memcmp(out, want, (n + 63) / 64 * sizeof *out) == 0, "scan_block_max", n);
        size_t kept = neon->scan_keep(x, NULL, n, 2, out, ids),
               wanted = scan_keep_scalar(x, NULL, n, 2, want, want_ids);
        expect(kept == wanted && memcmp(out, want, kept * sizeof *out) == 0 &&
                   memcmp(ids, want_ids, kept * sizeof *ids) == 0,
               "scan_keep", n);
        kept = neon->scan_below(x, NULL, n, 2, out, ids);
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
    static const Dtype formats[] = {DTYPE_Q4_0, DTYPE_Q4_1,   DTYPE_Q5_0,
                                    DTYPE_Q8_0, DTYPE_Q2_K,   DTYPE_Q3_K,
                                    DTYPE_Q4_K, DTYPE_IQ4_NL, DTYPE_Q6_K};
    static float w[19 * 512], x[3 * 512], y[3 * 19], z[3 * 19];
    static unsigned char stored[19 * 512 * 2], packed_data[1 << 17];
    static char scratch[1 << 14];
    for (size_t i = 0; i < 19 * 512; i++) w[i] = (float)rng_unit(7, 0, i) - 0.5f;
    for (size_t i = 0; i < 3 * 512; i++) x[i] = (float)rng_unit(8, 0, i) - 0.5f;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        PackedWeights packed;
        quantize_row(formats[f], w, NULL, stored, 19 * 512);
        Tensor t = tensor_view(formats[f], 2, (size_t[]){19, 512}, stored);
        kernels_select("scalar", NULL);
        matmul_weights(NULL, &t, NULL, x, 3, y, scratch);
        kernels_select(isa, NULL);
        packed_fill(NULL, &packed, &t, packed_data);
        matmul_weights(NULL, &t, NULL, x, 3, z, scratch);
        expect(memcmp(y, z, sizeof y) == 0, isa, f);
        matmul_weights(NULL, &t, &packed, x, 3, z, scratch);
        expect(memcmp(y, z, sizeof y) == 0, isa, 100 + f);
    }
}

int main(void) {
    const Kernels *list[KERNELS_MOST];
    int count = kernels_list(list);
    if (count < 2 || strcmp(list[1]->isa, "neon") != 0)
        return printf("NEON is not among the kernels\n"), 1;
    for (int i = 1; i < count; i++) compare_quantized(list[i]->isa);
    kernels_select("neon", NULL);
    for (uint32_t i = 0; i < 65536; i++) {
        float value = f16_to_f32((uint16_t)i);
        if (!isnan(value)) expect(f16_from_f32(value) == i, "half", i);
    }
    compare_dots(list[1]);
    compare_vectors(list[1], list[0]);
    compare_scans(list[1]);
    compare_products();
    printf("%s: %s\n", count > 2 ? "NEON and dotprod" : "NEON",
           wrong ? "WRONG" : "every kernel agrees");
    return wrong != 0;
}
