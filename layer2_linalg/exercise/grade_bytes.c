/* The graders of layer 2: inputs in bytes, and products in whole numbers. */
#include "../src/kernel_types.h"
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
        [CUT] = "cut towards zero: round to the nearest whole number",
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
    for (Slip s = BY_128; s <= SIGNED_MAX && memcmp(q, want, 32) != 0; s++) {
        int8_t other[32];
        int16_t ignored[2];
        float other_d;
        bytes_of(s, x, other, ignored, &other_d);
        HINT(memcmp(q, other, 32) != 0, "%s", hints[s]);
    }
    for (int i = 0; i < 32; i++)
        HINT(q[i] == want[i], "number %d, %.7g with steps of %.7g: expected %d, got %d", i,
             (double)x[i], (double)d, want[i], q[i]);
    HINT(got == d, "the step d is returned: the largest magnitude / 127 = %.9g, got %.9g",
         (double)d, (double)got);
    HINT(sum[0] != total[0] + total[1],
         "sum[0] is of the first 16 quants, sum[1] of the last 16: here the first has all 32");
    HINT(sum[0] == total[0] && sum[1] == total[1],
         "the sums of the first and the last 16 quants: expected %d and %d, got %d and %d",
         total[0], total[1], sum[0], sum[1]);
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

/* A row of weights times inputs, as panel.h's formula has it: in double, and with what quantize_row stored. */
static void check_panel(Dtype dtype, size_t n, double low) {
    static float x[256], w[256], back[256], y[16];
    static unsigned char row[256 * 4], scratch[4096];
    double want = 0, room = 0.05;
    fresh_floats(x, n, low, 1), fresh_floats(w, n, -1, 1);
    quantize_row(dtype, w, NULL, row, n);
    dequantize_row(dtype, row, back, n);
    for (size_t k = 0; k < n; k++) want += (double)back[k] * (double)x[k], room += 0.004;
    Tensor t = tensor_view(dtype, 2, (size_t[]){1, n}, row);
    matvec(NULL, &t, x, y, scratch);
    SYMPTOM(close_to((double)y[0], want, room),
            "%zu weights in %s times inputs from %g to 1: expected about %.5g, got %.5g", n,
            dtype_name(dtype), low, want, (double)y[0]);
}

GRADE(astray) {
    const Dtype formats[] = {DTYPE_Q8_0, DTYPE_Q4_0, DTYPE_Q4_1, DTYPE_Q5_0};
    for (int round = 0; round < 4; round++) check_panel(formats[round], 32, 0.5);
    for (int round = 0; round < 12; round++)
        check_panel(formats[round % 4], 256, round < 8 ? 0 : -1);
}

GRADES({"2.15", astray}, {"2.14", bytes})
