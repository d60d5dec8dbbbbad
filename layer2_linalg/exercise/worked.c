/* Worked exercise 2: one row of weights in eight, four and fewer bits, and the error that makes.
 *
 * --csv prints format,bits,error: the root of the mean squared error, of the row's own size. */
#include "../src/blocks.h"
#include "linalg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Dtype formats[] = {DTYPE_F16,   DTYPE_Q8_0, DTYPE_Q6_K, DTYPE_Q5_K,
                                DTYPE_Q5_0,  DTYPE_Q4_K, DTYPE_Q4_0, DTYPE_IQ4_NL,
                                DTYPE_MXFP4, DTYPE_Q3_K, DTYPE_Q2_K, DTYPE_TQ2_0};

/* A matrix of the storyteller as floats; its rows of 256 make one of 2048. */
static size_t load(float *out, size_t most) {
    FileMap map;
    Gguf gguf;
    Fault fault;
    if (!file_open(&map, "layer5_models/models/storyteller.gguf", &fault) ||
        !gguf_parse(&gguf, map.data, map.size, &fault)) {
        fprintf(stderr, "worked: %s\n", fault.text);
        exit(1);
    }
    const GgufTensor *t = gguf_find_tensor(&gguf, "blk.1.ffn_up.weight");
    if (!t) exit(1);
    size_t n = t->shape[0] * t->shape[1] / 256 * 256;
    if (n > most) n = most;
    dequantize_row((Dtype)t->dtype, t->data, out, n);
    gguf_free(&gguf), file_close(&map);
    return n;
}

static double error_of(Dtype dtype, const float *x, size_t n) {
    static float back[65536];
    static unsigned char stored[4 * 65536];
    double error = 0, power = 0;
    quantize_row(dtype, x, NULL, stored, n);
    dequantize_row(dtype, stored, back, n);
    for (size_t i = 0; i < n; i++)
        error += pow((double)back[i] - (double)x[i], 2), power += pow((double)x[i], 2);
    return sqrt(error / power);
}

static void narrate(const float *x) {
    BlockQ4_0 block;
    float back[32], far = 0;
    for (int i = 0; i < 32; i++) far = fabsf(x[i]) > fabsf(far) ? x[i] : far;
    quantize_row(DTYPE_Q4_0, x, NULL, &block, 32);
    dequantize_row(DTYPE_Q4_0, &block, back, 32);
    printf("1. Thirty-two weights of the storyteller (the first six): ");
    for (int i = 0; i < 6; i++) printf("%8.4f", (double)x[i]);
    printf("\n\n2. Q4_0: the one farthest from zero is %.4f; it shall be -8.  So the scale is "
           "%.4f / -8 = %.6f.\n",
           (double)far, (double)far, (double)far / -8);
    printf("   Two bytes hold it as f16: %.6f.\n\n", (double)f16_to_f32(block.d));
    printf("3. Each weight becomes the nearest of sixteen levels, -8 .. 7 times the scale:\n\n "
           "    weight   / scale   quant   stored   read back    error\n");
    for (int i = 0; i < 6; i++) {
        int q = i < 16 ? block.q[i] & 15 : block.q[i - 16] >> 4;
        printf("   %8.4f  %8.3f  %6d  %7d   %9.4f  %+.4f\n", (double)x[i],
               (double)(x[i] / f16_to_f32(block.d)), q - 8, q, (double)back[i],
               (double)(back[i] - x[i]));
    }
    printf("\n   32 weights in 18 bytes: %.1f bits each instead of 32.\n\n", 18 * 8 / 32.0);
    float in[32], product = 0, exact = 0;
    for (int i = 0; i < 32; i++)
        in[i] = cosf((float)i), product += back[i] * in[i], exact += x[i] * in[i];
    printf("4. A dot product with an input: %.5f with the weights as they are, %.5f with those "
           "read back.\n\n",
           (double)exact, (double)product);
}

int main(int argc, char **argv) {
    static float x[65536];
    size_t n = load(x, 65536);
    bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    if (csv)
        printf("format,bits,error\n");
    else
        narrate(x), printf("5. The same matrix in every format, and how far it moves (of its "
                           "own size):\n\n   format   bits per weight   error\n");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const DtypeInfo *info = dtype_info(formats[i]);
        double bits = 8.0 * info->bytes / info->block, error = error_of(formats[i], x, n);
        printf(csv ? "%s,%.4f,%.6f\n" : "   %-8s %12.3f   %9.5f\n", info->name, bits, error);
    }
    return 0;
}
