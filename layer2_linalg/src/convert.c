/* convert.c - see convert.h. */
#include "convert.h"
#include "blocks.h"

#include <math.h>
#include <string.h>

static void dequantize_f32(const void *row, float *out, size_t n) {
    memcpy(out, row, n * sizeof *out);
}

static void dequantize_f16(const void *row, float *out, size_t n) {
    const uint16_t *half = row;
    for (size_t i = 0; i < n; i++) out[i] = f16_to_f32(half[i]);
}

static void dequantize_bf16(const void *row, float *out, size_t n) {
    const uint16_t *half = row;
    for (size_t i = 0; i < n; i++) out[i] = bf16_to_f32(half[i]);
}

/* Every format that can be read, each in a file of its own in formats/. */
static Dequantize *const readers[DTYPE_COUNT] = {
    [DTYPE_F32] = dequantize_f32,       [DTYPE_F16] = dequantize_f16,
    [DTYPE_BF16] = dequantize_bf16,     [DTYPE_Q8_0] = dequantize_q8_0,
    [DTYPE_Q4_0] = dequantize_q4_0,     [DTYPE_Q4_1] = dequantize_q4_1,
    [DTYPE_Q5_0] = dequantize_q5_0,     [DTYPE_Q5_1] = dequantize_q5_1,
    [DTYPE_Q2_K] = dequantize_q2_k,     [DTYPE_Q3_K] = dequantize_q3_k,
    [DTYPE_Q4_K] = dequantize_q4_k,     [DTYPE_Q5_K] = dequantize_q5_k,
    [DTYPE_Q6_K] = dequantize_q6_k,     [DTYPE_IQ4_NL] = dequantize_iq4_nl,
    [DTYPE_IQ4_XS] = dequantize_iq4_xs, [DTYPE_MXFP4] = dequantize_mxfp4,
    [DTYPE_TQ1_0] = dequantize_tq1_0,   [DTYPE_TQ2_0] = dequantize_tq2_0,
};

bool dtype_is_computable(uint32_t dtype) { return dtype < DTYPE_COUNT && readers[dtype]; }

void dequantize_row(Dtype dtype, const void *row, float *out, size_t n) {
    REQUIRE(dtype_is_computable(dtype), "%s cannot be computed with", dtype_name(dtype));
    readers[dtype](row, out, n);
}

static void quantize_q8_0_block(const float *x, BlockQ8_0 *block) {
    float max = 0;
    for (int k = 0; k < Q8_0_BLOCK; k++) max = fmaxf(max, fabsf(x[k]));
    float d = max / 127, inverse = d != 0 ? 1 / d : 0;
    block->d = f16_from_f32(d);
    for (int k = 0; k < Q8_0_BLOCK; k++) block->q[k] = (int8_t)roundf(x[k] * inverse);
}

void quantize_row(Dtype dtype, const float *x, void *row, size_t n) {
    uint16_t *half = row;
    BlockQ8_0 *blocks = row;
    switch (dtype) {
    case DTYPE_F32: memcpy(row, x, n * sizeof *x); break;
    case DTYPE_F16:
        for (size_t i = 0; i < n; i++) half[i] = f16_from_f32(x[i]);
        break;
    case DTYPE_BF16:
        for (size_t i = 0; i < n; i++) half[i] = bf16_from_f32(x[i]);
        break;
    case DTYPE_Q8_0:
        REQUIRE(n % Q8_0_BLOCK == 0, "a row of %zu does not divide into blocks of 32", n);
        for (size_t b = 0; b < n / Q8_0_BLOCK; b++)
            quantize_q8_0_block(x + b * Q8_0_BLOCK, &blocks[b]);
        break;
    default: REQUIRE(false, "%s cannot be written", dtype_name(dtype));
    }
}
