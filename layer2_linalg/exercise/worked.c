/* Worked exercise 2: one row of weights in eight, four and fewer bits, the error that makes,
 * and its effect on a dot product with a word of yours.
 *
 * --csv prints format,bits,error: the root of the mean squared error, of the row's own size. */
#include "worked.h"
#include "../src/blocks.h"
#include "linalg.h"

#include <math.h>

static const Dtype formats[] = {DTYPE_F16,   DTYPE_Q8_0, DTYPE_Q6_K, DTYPE_Q5_K,
                                DTYPE_Q5_0,  DTYPE_Q4_K, DTYPE_Q4_0, DTYPE_IQ4_NL,
                                DTYPE_MXFP4, DTYPE_Q3_K, DTYPE_Q2_K, DTYPE_TQ2_0};

/* A matrix of the storyteller as floats; its rows of 256 make one of 2048. */
static size_t load(const Gguf *gguf, float *out, size_t max) {
    const GgufTensor *t = tensor_named(gguf, "blk.1.ffn_up.weight");
    size_t n = t->shape[0] * t->shape[1] / 256 * 256;
    if (n > max) n = max;
    dequantize_row((Dtype)t->dtype, t->data, out, n);
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

static void four_bits(const float *x, const BlockQ4_0 *block, const float *back) {
    float far = 0;
    for (int i = 0; i < 32; i++) far = fabsf(x[i]) > fabsf(far) ? x[i] : far;
    printf("1. Thirty-two weights of the storyteller's layer 1 (the first six): ");
    for (int i = 0; i < 6; i++) printf("%8.4f", (double)x[i]);
    printf("\n\n2. Q4_0: the one farthest from zero is %.4f; it shall be -8.  So the scale is "
           "%.4f / -8 = %.6f.\n",
           (double)far, (double)far, (double)far / -8);
    printf("   Two bytes hold it as f16: %.6f.\n\n", (double)f16_to_f32(block->d));
    guess("which of the sixteen levels -8 .. 7 does %.4f become?", (double)x[0]);
    printf("3. Each weight becomes the nearest of sixteen levels, -8 .. 7 times the scale:\n\n "
           "    weight   / scale   quant   stored   read back    error\n");
    for (int i = 0; i < 6; i++) {
        int q = block->q[i] & 15;
        printf("   %8.4f  %8.3f  %6d  %7d   %9.4f  %+.4f\n", (double)x[i],
               (double)(x[i] / f16_to_f32(block->d)), q - 8, q, (double)back[i],
               (double)(back[i] - x[i]));
    }
    printf("\n   32 weights in 18 bytes: %.1f bits each instead of 32.\n\n", 18 * 8 / 32.0);
}

/* 256 weights times the row of a word: a neuron of the feed-forward network reads it. */
static void products(const Gguf *gguf, const float *x) {
    enum { DIM = 256, WORDS = 4 };
    static const Dtype tried[] = {DTYPE_Q8_0, DTYPE_Q4_0, DTYPE_Q2_K};
    unsigned char stored[4 * DIM];
    float in[DIM], back[DIM];
    Word words[WORDS];
    size_t count = words_of(words, WORDS, gguf, sentence_or("Once upon a time"));
    const GgufTensor *embd = tensor_named(gguf, "token_embd.weight");
    if (embd->shape[1] != DIM) worked_fails("the storyteller has other sizes");
    printf("4. A dot product adds up 256 products, and so their errors.  The first row of the "
           "matrix with what the model\n   knows of your words:\n\n   %-12s%12s%12s%12s%12s\n",
           "word", "exact", "Q8_0", "Q4_0", "Q2_K");
    for (size_t w = 0; w < count; w++) {
        floats_of_row(in, embd, words[w].token);
        printf("   %-12.*s%12.6f", (int)words[w].text.size, words[w].text.data,
               (double)dot_f32(x, in, DIM));
        for (int i = 0; i < 3; i++) {
            quantize_row(tried[i], x, NULL, stored, DIM);
            dequantize_row(tried[i], stored, back, DIM);
            printf("%12.6f", (double)dot_f32(back, in, DIM));
        }
        putchar('\n');
    }
    putchar('\n');
}

static void narrate(const Gguf *gguf, const float *x) {
    BlockQ4_0 block;
    float back[32];
    quantize_row(DTYPE_Q4_0, x, NULL, &block, 32);
    dequantize_row(DTYPE_Q4_0, &block, back, 32);
    four_bits(x, &block, back);
    products(gguf, x);
    guess("half the bits: twice the error, four times, sixteen times?");
    printf("5. The same matrix in every format, and how far it moves (of its own size):\n\n   "
           "format   bits per weight   error\n");
}

int main(int argc, char **argv) {
    static float x[65536];
    FileMap map;
    Gguf gguf;
    open_storyteller(&map, &gguf);
    size_t n = load(&gguf, x, 65536);
    bool csv = worked_csv(argc, argv);
    if (csv)
        printf("format,bits,error\n");
    else
        narrate(&gguf, x);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const DtypeInfo *info = dtype_info(formats[i]);
        double bits = 8.0 * info->bytes / info->block, error = error_of(formats[i], x, n);
        printf(csv ? "%s,%.4f,%.6f\n" : "   %-8s %12.3f   %9.5f\n", info->name, bits, error);
    }
    gguf_free(&gguf), file_close(&map);
    return worked_end();
}
