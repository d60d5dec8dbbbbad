/* The graders of layer 2. */
#include "../src/blocks.h"
#include "../src/kernel_types.h"
#include "grader.h"
#include "linalg.h"

GRADE(dots) {
    float a[3] = {1, 2, 3}, b[3] = {4, 5, 6};
    HINT(dot_f32_scalar(a, b, 3) == 32,
         "1*4 + 2*5 + 3*6 is 32, got %g: add up all the products",
         (double)dot_f32_scalar(a, b, 3));
    HINT(dot_f32_scalar(a, b, 0) == 0, "the sum of nothing is 0");
    uint16_t w[2] = {0x3C00, 0x4000};
    HINT(dot_f16_scalar(w, b, 2) == 14,
         "the weights 0x3C00 and 0x4000 are 1 and 2: widen them with f16_to_f32");
}

GRADE(products) {
    float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4] = {100, 0, 0, 0};
    matmul_naive(2, 2, 3, (Matrix){a, 3, 1}, (Matrix){b, 2, 1}, c, 2, false);
    HINT(c[0] == 4, "c[0][0] is row 0 of A times column 0 of B: 1*1 + 2*0 + 3*1, got %g",
         (double)c[0]);
    HINT(c[1] == 5 && c[2] == 10 && c[3] == 11,
         "element (i, j) of a Matrix lies at data[i * row + j * col]");
    matmul_naive(2, 2, 3, (Matrix){a, 3, 1}, (Matrix){b, 2, 1}, c, 2, true);
    HINT(c[0] == 8, "with add the product is added: C += A B");
    static float big[96 * 96], one[96 * 96], two[96 * 96];
    for (int i = 0; i < 96 * 96; i++) big[i] = (float)rng_unit(1, 0, (uint64_t)i) - 0.5f;
    matmul_naive(96, 96, 96, (Matrix){big, 96, 1}, (Matrix){big, 1, 96}, one, 96, false);
    matmul_blocked(96, 96, 96, (Matrix){big, 96, 1}, (Matrix){big, 1, 96}, two, 96, false);
    HINT(memcmp(one, two, sizeof one) == 0,
         "blocked differs from naive: do the tiles of p come in ascending order, and add?");
}

GRADE(eight_bits) {
    float x[32] = {127, -63.5f, 1}, back[32];
    BlockQ8_0 block;
    quantize_row(DTYPE_Q8_0, x, NULL, &block, 32);
    HINT(block.q[0] == 127, "the largest number becomes 127 (d = max / 127), got %d",
         block.q[0]);
    HINT(f16_to_f32(block.d) == 1, "the scale is stored as f16");
    HINT(block.q[1] == -64,
         "-63.5 is rounded to the nearest whole number, halves away from zero: -64, got %d",
         block.q[1]);
    dequantize_row(DTYPE_Q8_0, &block, back, 32);
    HINT(back[0] == 127 && back[2] == 1, "reading gives d * q");
}

GRADE(four_bits) {
    float x[32] = {[0] = 8, [16] = -4, [5] = 1}, back[32];
    BlockQ4_0 block;
    quantize_row(DTYPE_Q4_0, x, NULL, &block, 32);
    HINT(f16_to_f32(block.d) == -1,
         "the number farthest from zero (8) becomes the quant -8, so d = 8 / -8 = -1, got %g",
         (double)f16_to_f32(block.d));
    HINT((block.q[0] & 15) == 0,
         "the quant -8 is stored as 0 (q = quant + 8), in the low half of byte 0");
    HINT((block.q[0] >> 4) == 12,
         "number 16 is in the high half of byte 0: -4 is the quant 4, stored as 12");
    dequantize_row(DTYPE_Q4_0, &block, back, 32);
    HINT(back[0] == 8 && back[16] == -4 && back[5] == 1,
         "reading gives d * (q - 8), low halves first");
}

static double time_of(float (*sum)(const float *, size_t), const float *x, size_t n) {
    double best = 1e9;
    for (int round = 0; round < 15; round++) {
        double start = clock_seconds();
        for (int i = 0; i < 200; i++) {
            volatile float sink = sum(x, n);
            (void)sink;
        }
        best = fmin(best, clock_seconds() - start);
    }
    return best;
}

static float one_sum(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

GRADE(fast_sum) {
    static float x[4096];
    double exact = 0;
    for (int i = 0; i < 4096; i++) exact += (double)(x[i] = (float)rng_unit(2, 0, (uint64_t)i));
    HINT(close_to((double)vector_sum_scalar(x, 4096), exact, 0.1),
         "the sum of 4096 numbers is %g, got %g", exact, (double)vector_sum_scalar(x, 4096));
    HINT(close_to((double)vector_sum_scalar(x, 13), (double)one_sum(x, 13), 1e-5),
         "what about lengths that are no multiple of yours?");
    double yours = time_of(vector_sum_scalar, x, 4096), plain = time_of(one_sum, x, 4096);
    printf("  one running sum: %.2f us; yours: %.2f us, %.1f times as fast\n", plain * 5000,
           yours * 5000, plain / yours);
    HINT(plain / yours >= 1.8,
         "wanted 1.8 times as fast: keep several sums that do not wait for each other");
}

GRADE(offset) {
    float x[32], w[32], y[16];
    char scratch[1024];
    BlockQ4_0 rows[16];
    for (int i = 0; i < 32; i++) x[i] = 1, w[i] = -1;
    for (int r = 0; r < 16; r++) quantize_row(DTYPE_Q4_0, w, NULL, &rows[r], 32);
    Tensor t = tensor_view(DTYPE_Q4_0, 2, (size_t[]){16, 32}, rows);
    matvec(NULL, &t, x, y, scratch);
    HINT(close_to((double)y[0], -32, 0.01),
         "32 weights of -1 with 32 ones give -32, got %g: stored quants are 8 too large in "
         "Q4_0, "
         "so the sum is 8 times the sum of the inputs too large",
         (double)y[0]);
}

GRADE(weights) {
    float w[3 * 2] = {1, 2, 3, 4, 5, 6}, x[2 * 2] = {1, 1, 1, -1}, y[2 * 3], one[3];
    Tensor t = tensor_view(DTYPE_F32, 2, (size_t[]){3, 2}, w);
    matvec(NULL, &t, x, one, NULL);
    HINT(one[0] == 3 && one[2] == 11,
         "row 0 is 1 2, row 2 is 5 6: times the vector 1 1 that is 3 and 11, got %g and %g",
         (double)one[0], (double)one[2]);
    matmul_weights(NULL, &t, NULL, x, 2, y, NULL);
    HINT(y[3] == -1 && y[5] == -1, "output r of column c lies at y[c * out + r], and column c "
                                   "of the inputs at x + c * in");
    static float many[100 * 2], out[100];
    for (int r = 0; r < 100; r++) many[2 * r] = (float)r;
    Tensor tall = tensor_view(DTYPE_F32, 2, (size_t[]){100, 2}, many);
    matvec(NULL, &tall, x, out, NULL);
    HINT(out[99] == 99, "a task is the rows begin .. end-1: the outputs start at begin, too");
}

GRADES({"2.1", dots}, {"2.2", products}, {"2.3", eight_bits}, {"2.4", four_bits},
       {"2.5", fast_sum}, {"2.7", offset}, {"2.8", weights})
