/* The graders of layer 2: inputs in bytes, and integer products. */
#include "../src/kernels/kernel_types.h"
#include "near.h"
#include "linalg.h"

typedef enum { RIGHT, BY_128, AWAY, CUT, SIGNED_MAX } Slip;

static void bytes_of(Slip slip, const float *x, int8_t *q, int16_t *sum, float *d) {
    float max = 0;
    for (int i = 0; i < 32; i++) max = fmaxf(max, slip == SIGNED_MAX ? x[i] : fabsf(x[i]));
    float top = slip == BY_128 ? 128 : 127, inverse = 0;
    *d = 0, sum[0] = sum[1] = 0;
    if (max > 1e-30f) *d = max / top, inverse = top / max;
    for (int i = 0; i < 32; i++) {
        float v = x[i] * inverse;
        q[i] = (int8_t)(slip == AWAY ? roundf(v) : slip == CUT ? truncf(v) : rintf(v));
        sum[i / 16] = (int16_t)(sum[i / 16] + q[i]);
    }
}

static void check_bytes(const float *x) {
    static const char *const hints[] = {
        [BY_128] = "the largest magnitude becomes 127, not 128: a signed byte ends there",
        [AWAY] = "halves are rounded to the even neighbour (nearest in quants.h, rintf), as "
                 "the vector instructions do; here they are rounded away from zero",
        [CUT] = "cut towards zero: round to the nearest integer",
        [SIGNED_MAX] = "the scale comes from the largest magnitude: a negative number may be "
                       "the farthest from zero",
    };
    int8_t q[32], want[32];
    int16_t sum[3] = {0, 0, -77}, total[2];
    float d, got;
    got = quantize_input_block_scalar(x, q, sum);
    bytes_of(RIGHT, x, want, total, &d);
    if (memcmp(q, want, 32) == 0 && got == d && sum[0] == total[0] && sum[1] == total[1])
        return;
    for (Slip s = BY_128; s <= SIGNED_MAX && d > 1e-30f && memcmp(q, want, 32) != 0; s++) {
        int8_t other[32];
        int16_t ignored[2];
        float other_d;
        bytes_of(s, x, other, ignored, &other_d);
        HINT(memcmp(q, other, 32) != 0, "%s", hints[s]);
    }
    for (int i = 0; i < 32; i++)
        HINT(q[i] == want[i],
             "number %d, %.9g with steps of %.9g: expected %d, got %d (a quant is x * (127 / "
             "the "
             "largest magnitude), and 0 where that is at most 1e-30)",
             i, (double)x[i], (double)d, want[i], q[i]);
    HINT(got == d, "the step d is returned: the largest magnitude / 127 = %.9g, got %.9g",
         (double)d, (double)got);
    HINT(sum[0] != total[0] + total[1],
         "sum[0] is of the first 16 quants, sum[1] of the last 16: here the first has all 32");
    HINT(sum[0] == total[0] && sum[1] == total[1],
         "the sums of the first and the last 16 quants: expected %d and %d, got %d and %d",
         total[0], total[1], sum[0], sum[1]);
}

/* Numbers on the borders between two quants, and one last bit off. */
static void beside_borders(double size) {
    float x[32], far = x[0] = (float)fresh_between(size, 2 * size);
    for (int k = 1; k < 32; k++) {
        double quant = (double)fresh_below(253) - 126 + 0.5;
        x[k] = (float)(quant * (double)far / 127);
        if (k % 3) x[k] = nextafterf(x[k], k % 3 == 1 ? -INFINITY : INFINITY);
    }
    check_bytes(x);
}

GRADE(bytes) {
    float x[32];
    for (int round = 0; round < 300; round++) {
        double size = (double[]){1, 1e-8, 1e6, 0.01}[round % 4];
        fresh_floats(x, 32, -size, size);
        if (round % 5 == 1) /* exact halves: with 127 as the largest, steps of 1 */
            for (int i = 0; i < 32; i++) x[i] = (float)((double)fresh_below(120) - 60 + 0.5);
        if (round % 5 == 1) x[fresh_below(32)] = round % 2 ? 127 : -127;
        if (round == 3) memset(x, 0, sizeof x);
        if (round == 4) fresh_floats(x, 32, -1e-36, 1e-36);
        check_bytes(x);
    }
    for (int round = 0; round < 200; round++) beside_borders(round % 2 ? 1 : 1e-5);
    const float tiny[] = {1e-30f, nextafterf(1e-30f, 1), nextafterf(1e-30f, 0), 5e-30f, 1e-31f,
                          1e-34f};
    for (size_t i = 0; i < 2 * sizeof tiny / sizeof *tiny; i++) { /* at most 1e-30, or more */
        for (int k = 0; k < 32; k++) x[k] = tiny[i / 2] * (float)fresh_between(-0.9, 0.9);
        x[fresh_below(32)] = i % 2 ? tiny[i / 2] : -tiny[i / 2];
        check_bytes(x);
    }
    for (int kind = 0; kind < 3; kind++) {
        int8_t q[32];
        int16_t sum[2] = {5, 5};
        memset(q, 9, sizeof q);
        fresh_floats(x, 32, -1, 1);
        x[fresh_below(32)] = (float[]){NAN, INFINITY, -INFINITY}[kind];
        float d = quantize_input_block_scalar(x, q, sum);
        HINT(isnan(d),
             "a number that is not finite (%g) makes the step NaN, so that every product with "
             "these inputs is NaN; got %g",
             (double[]){NAN, INFINITY, -INFINITY}[kind], (double)d);
        HINT(q[0] == 0 && q[31] == 0 && sum[0] == 0 && sum[1] == 0,
             "with a step of NaN the quants and their sums are 0");
    }
}

/* Rows of weights times some inputs, as panel.h's formula has it: in double, and with what
 * quantize_row stored.  32 inputs at a time are of another size; each is off by half a step at
 * most. */
static void check_panel(Dtype dtype, size_t n, double low) {
    enum { ROWS = 20, INPUTS = 3 };
    static float x[INPUTS * 512], w[512], back[ROWS * 512], y[INPUTS * ROWS];
    static unsigned char rows[ROWS * 512 * 4], scratch[1 << 16];
    size_t bytes = dtype_row_bytes(dtype, n), count = n == 32 ? 1 : ROWS;
    for (size_t r = 0; r < count; r++) {
        fresh_floats(w, n, -1, 1);
        quantize_row(dtype, w, NULL, rows + r * bytes, n);
        dequantize_row(dtype, rows + r * bytes, back + r * n, n);
    }
    for (size_t k = 0; k < INPUTS * n; k += 32) {
        double size = n == 32 ? 1 : fresh_between(0.2, 5);
        fresh_floats(x + k, 32, low * size, size);
    }
    Tensor t = tensor_view(dtype, 2, (size_t[]){count, n}, rows);
    NEED(matmul_weights_bytes(INPUTS, n) <= sizeof scratch);
    matmul_weights(NULL, &t, NULL, x, INPUTS, y, scratch);
    for (size_t c = 0; c < INPUTS; c++)
        for (size_t r = 0; r < count; r++) {
            double want = 0, room = 1e-3;
            for (size_t k = 0; k < n; k++) {
                double weight = (double)back[r * n + k], far = 0;
                for (size_t i = k / 32 * 32; i < k / 32 * 32 + 32; i++)
                    far = fmax(far, fabs((double)x[c * n + i]));
                want += weight * (double)x[c * n + k], room += fabs(weight) * far / 250;
            }
            SYMPTOM(close_to((double)y[c * count + r], want, room),
                    "%zu weights in %s (row %zu of %zu) times input %zu of %d, of numbers from "
                    "%g on: "
                    "expected about %.5g, got %.5g",
                    n, dtype_name(dtype), r, count, c, INPUTS, low, want,
                    (double)y[c * count + r]);
        }
}

GRADE(astray) {
    const Dtype formats[] = {DTYPE_Q8_0, DTYPE_Q4_0, DTYPE_Q4_1,
                             DTYPE_Q5_0, DTYPE_Q6_K, DTYPE_Q2_K};
    for (int round = 0; round < 4; round++) check_panel(formats[round], 32, 0.5);
    for (int round = 0; round < 24; round++)
        check_panel(formats[round % 6], round < 12 ? 256 : 512, round % 12 < 6 ? 0 : -1);
}

GRADES({"2.15", astray}, {"2.14", bytes})
