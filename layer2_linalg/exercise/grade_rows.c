/* The graders of layer 2: stored rows back to floats, and the simplest product with them. */
#include "../src/kernels/kernel_types.h"
#include "near.h"
#include "linalg.h"

enum { ROW = 70 * 1024 };
static unsigned char stored[ROW * 4];
static float numbers[ROW], got_row[ROW + 1], inputs[ROW];

/* The values of a group of quants, as quantized.h says; slips leave something out. */
static double weight_of(Dtype dtype, size_t k, int slip) {
    const QuantFormat *f = quant_format(dtype);
    Quants quants;
    memset(&quants, 0, sizeof quants);
    f->unpack(stored + dtype_row_bytes(dtype, k / 256 * 256), 256, &quants);
    size_t g = k % 256 / (slip == 3 ? 32 : (size_t)f->group);
    if (slip == 4) g = 0;
    double scale = f->scales == SCALE_SUPERBLOCK ? (double)quants.d[0] * quants.sub_scale[g]
                                                 : (double)quants.d[g];
    double min = f->scales == SCALE_SUPERBLOCK ? (double)quants.dmin[0] * quants.sub_min[g]
                                               : (double)quants.dmin[g];
    return scale * (quants.q[k % 256] - (slip == 1 ? 0 : f->offset)) +
           (f->min && slip != 2 ? min : 0);
}

static const Dtype some[] = {DTYPE_Q4_0, DTYPE_Q8_0, DTYPE_Q4_1, DTYPE_Q5_1,
                             DTYPE_Q4_K, DTYPE_Q6_K, DTYPE_Q2_K};

static bool weights_are(Dtype dtype, size_t n, int slip) {
    for (size_t k = 0; k < n; k++)
        if (!near((double)got_row[k], weight_of(dtype, k, slip), 1e-5)) return false;
    return true;
}

/* What a function finds in uninitialised memory. */
__attribute__((noinline)) static void leave_litter(void) {
    volatile unsigned char litter[8192];
    for (size_t i = 0; i < sizeof litter; i++) litter[i] = 0x41;
}

static void check_row(Dtype dtype, size_t n) {
    const char *name = dtype_name(dtype);
    got_row[n] = -77;
    leave_litter();
    dequantize_row(dtype, stored, got_row, n);
    HINT(got_row[n] == -77, "%s: something is written past the last of %zu numbers", name, n);
    if (weights_are(dtype, n, 0)) return;
    HINT(!weights_are(dtype, n, 1),
         "%s: a stored quant is the quant plus the format's offset (%d): take it off", name,
         quant_format(dtype)->offset);
    HINT(!weights_are(dtype, n, 2), "%s has a min, which is added to each number", name);
    HINT(quant_format(dtype)->group == 32 || !weights_are(dtype, n, 3),
         "%s: %d numbers share a scale, not 32", name, quant_format(dtype)->group);
    HINT(!weights_are(dtype, n, 4),
         "%s: every group has a scale of its own, not the first one's", name);
    for (size_t k = 0; k < n; k++)
        HINT(near((double)got_row[k], weight_of(dtype, k, 0), 1e-5),
             "%s, number %zu of %zu: expected %.7g, got %.7g", name, k, n,
             weight_of(dtype, k, 0), (double)got_row[k]);
}

/* Every 16-bit pattern, in a row longer than their number. */
static void check_halves(bool brain) {
    const char *name = brain ? "BF16" : "F16";
    uint16_t *half = (uint16_t *)(void *)stored;
    for (size_t k = 0; k < ROW; k++) half[k] = (uint16_t)k;
    got_row[ROW] = -77;
    dequantize_row(brain ? DTYPE_BF16 : DTYPE_F16, stored, got_row, ROW);
    HINT(got_row[ROW] == -77, "something is written past the last of %d halves", ROW);
    for (size_t k = 0; k < ROW; k++) {
        float want = brain ? bf16_to_f32(half[k]) : f16_to_f32(half[k]);
        HINT(isnan(want) ? isnan(got_row[k])
                         : got_row[k] == want && signbit(got_row[k]) == signbit(want),
             "%s, number %zu of %d, the bits 0x%04x: expected %.7g, got %.7g (all patterns are "
             "numbers, -0, the small ones, infinity and NaN too)",
             name, k, ROW, half[k], (double)want, (double)got_row[k]);
    }
}

GRADE(back_to_floats) {
    for (int round = 0; round < 28; round++) {
        Dtype dtype = some[round % 7];
        size_t block = dtype_info(dtype)->block,
               n = block * (1 + fresh_below((round < 26 ? 1024 : ROW) / block));
        fresh_floats(numbers, ROW, round % 2 ? 0.2 : -2, 3);
        quantize_row(dtype, numbers, NULL, stored, (n + 255) / 256 * 256);
        check_row(dtype, n);
    }
    for (int round = 0; round < 20; round++) {
        uint16_t *half = (uint16_t *)(void *)stored;
        size_t n = 1 + fresh_below(400);
        for (size_t k = 0; k < n; k++)
            half[k] = round % 2 ? bf16_from_f32((float)fresh_between(-9, 9))
                                : (uint16_t)(fresh_below(0x7C00) | fresh_below(2) << 15);
        got_row[n] = -77;
        dequantize_row(round % 2 ? DTYPE_BF16 : DTYPE_F16, stored, got_row, n);
        HINT(got_row[n] == -77, "something is written past the last of %zu halves", n);
        for (size_t k = 0; k < n; k++) {
            float want = round % 2 ? bf16_to_f32(half[k]) : f16_to_f32(half[k]),
                  other = round % 2 ? f16_to_f32(half[k]) : bf16_to_f32(half[k]);
            if (got_row[k] == want) continue;
            HINT(got_row[k] != other,
                 "%s is read as the other kind of half: F16 has five bits of exponent, BF16 "
                 "eight",
                 round % 2 ? "BF16" : "F16");
            HINT(got_row[k] != (float)half[k], "the 16 bits are a pattern, not a number: "
                                               "f16_to_f32 and bf16_to_f32 widen them");
            HINT(false, "%s, the bits 0x%04x: expected %.7g, got %.7g",
                 round % 2 ? "BF16" : "F16", half[k], (double)want, (double)got_row[k]);
        }
    }
    check_halves(false), check_halves(true);
    memset(stored, 0, 34), stored[1] = 0x7C; /* Q8_0 with the scale infinity, and quants of 0 */
    dequantize_row(DTYPE_Q8_0, stored, got_row, 32);
    HINT(isnan(got_row[0]), "scale * quant: infinity times 0 is NaN, got %g",
         (double)got_row[0]);
}

static double quantized_product(Dtype dtype, size_t n, int slip) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        if (slip == 1 && k >= 256) break;
        size_t w = slip == 2 ? k % 256 : k, x = slip == 3 ? k % 256 : k;
        sum += (slip == 4 ? fabs(weight_of(dtype, w, 0)) : weight_of(dtype, w, 0)) *
               (double)inputs[x];
    }
    return sum;
}

GRADE(textbook_dot) {
    for (int round = 0; round < 28; round++) {
        Dtype dtype = some[round % 7];
        size_t block = dtype_info(dtype)->block,
               n = block * (round < 26 ? 1 + fresh_below(1024 / block) : ROW / block);
        fresh_floats(numbers, ROW, -1, 2), fresh_floats(inputs, ROW, -2, 1);
        quantize_row(dtype, numbers, NULL, stored, (n + 255) / 256 * 256);
        double want = quantized_product(dtype, n, 0),
               got = (double)dot_quantized(dtype, stored, inputs, n), bound = 1e-3;
        if (n > 1024) bound = 0.05;
        if (near(got, want, bound)) continue;
        HINT(!near(got, quantized_product(dtype, n, 1), bound),
             "%zu numbers: only the first 256 are in the sum; go on with the next %d", n,
             PANEL_COLS);
        HINT(!near(got, quantized_product(dtype, n, 2), bound),
             "%zu numbers: each piece reads the first 256 weights again: the row goes on "
             "dtype_row_bytes(dtype, k) bytes further",
             n);
        HINT(!near(got, quantized_product(dtype, n, 3), bound),
             "%zu numbers: each piece is multiplied with the first 256 inputs again: x + k", n);
        HINT(!near(got, quantized_product(dtype, n, 4), bound), "weights keep their signs");
        HINT(false, "%s, %zu numbers: expected %.6g, got %.6g", dtype_name(dtype), n, want,
             got);
    }
    HINT(dot_quantized(DTYPE_Q8_0, stored, inputs, 0) == 0, "the sum of nothing is 0");
    memset(stored, 0, sizeof stored), memset(inputs, 0, sizeof inputs);
    inputs[3] = INFINITY;
    HINT(isnan(dot_quantized(DTYPE_Q8_0, stored, inputs, 32)),
         "a weight 0 times infinity is NaN: no product is left out");
    inputs[3] = 0, stored[1] = 0x7C, stored[2 + 3] = 1; /* the scale infinity */
    HINT(isnan(dot_quantized(DTYPE_Q8_0, stored, inputs, 32)),
         "a weight infinity times 0 is NaN: no product is left out");
}

GRADES({"2.10", back_to_floats}, {"2.11", textbook_dot})
