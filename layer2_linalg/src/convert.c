/* convert.c - see convert.h. */
#include "convert.h"
#include "dot.h"

#include <math.h>
#include <string.h>

bool dtype_is_computable(uint32_t dtype) {
    return dtype == DTYPE_F32 || dtype == DTYPE_F16 || dtype == DTYPE_BF16 ||
           dtype == DTYPE_Q8_0;
}

static void dequantize_q8_0(const BlockQ8_0 *blocks, float *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const BlockQ8_0 *block = &blocks[i / Q8_0_BLOCK];
        out[i] = f16_to_f32(block->d) * (float)block->q[i % Q8_0_BLOCK];
    }
}

void dequantize_row(Dtype dtype, const void *row, float *out, size_t n) {
    const uint16_t *half = row;
    switch (dtype) {
    case DTYPE_F32: memcpy(out, row, n * sizeof *out); break;
    case DTYPE_F16:
        for (size_t i = 0; i < n; i++) out[i] = f16_to_f32(half[i]);
        break;
    case DTYPE_BF16:
        for (size_t i = 0; i < n; i++) out[i] = bf16_to_f32(half[i]);
        break;
    case DTYPE_Q8_0: dequantize_q8_0(row, out, n); break;
    default: REQUIRE(false, "%s cannot be computed with", dtype_name(dtype));
    }
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
