/* convert.c - see convert.h. */
#include "convert.h"
#include "quantized.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool dtype_is_quantized(uint32_t dtype) { return quant_format((Dtype)dtype) != NULL; }

bool dtype_is_computable(uint32_t dtype) {
    return dtype == DTYPE_F32 || dtype == DTYPE_F16 || dtype == DTYPE_BF16 ||
           dtype_is_quantized(dtype);
}

static void quantize_f32(const float *x, const float *importance, void *row, size_t n) {
    (void)importance;
    memcpy(row, x, n * sizeof *x);
}

static void quantize_f16(const float *x, const float *importance, void *row, size_t n) {
    uint16_t *half = row;
    (void)importance;
    for (size_t i = 0; i < n; i++) half[i] = f16_from_f32(x[i]);
}

static void quantize_bf16(const float *x, const float *importance, void *row, size_t n) {
    uint16_t *half = row;
    (void)importance;
    for (size_t i = 0; i < n; i++) half[i] = bf16_from_f32(x[i]);
}

static Quantize *const writers[DTYPE_COUNT] = {
    [DTYPE_F32] = quantize_f32,     [DTYPE_F16] = quantize_f16,
    [DTYPE_BF16] = quantize_bf16,   [DTYPE_Q8_0] = quantize_q8_0,
    [DTYPE_Q4_0] = quantize_q4_0,   [DTYPE_Q4_1] = quantize_q4_1,
    [DTYPE_Q5_0] = quantize_q5_0,   [DTYPE_Q5_1] = quantize_q5_1,
    [DTYPE_Q2_K] = quantize_q2_k,   [DTYPE_Q3_K] = quantize_q3_k,
    [DTYPE_Q4_K] = quantize_q4_k,   [DTYPE_Q5_K] = quantize_q5_k,
    [DTYPE_Q6_K] = quantize_q6_k,   [DTYPE_IQ4_NL] = quantize_iq4_nl,
    [DTYPE_MXFP4] = quantize_mxfp4, [DTYPE_IQ4_XS] = quantize_iq4_xs,
    [DTYPE_TQ1_0] = quantize_tq1_0, [DTYPE_TQ2_0] = quantize_tq2_0,
};

bool dtype_is_writable(uint32_t dtype) { return dtype < DTYPE_COUNT && writers[dtype]; }

void quantize_row(Dtype dtype, const float *x, const float *importance, void *row, size_t n) {
    REQUIRE(dtype_is_writable(dtype), "%s cannot be written", dtype_name(dtype));
    REQUIRE(n % dtype_info(dtype)->block == 0, "a row of %zu does not divide into blocks of %d",
            n, dtype_info(dtype)->block);
    writers[dtype](x, importance, row, n);
}

size_t quantize_misfit(Dtype dtype, const float *x, size_t n) {
    const float most = dtype == DTYPE_F32 || dtype == DTYPE_BF16 ? FLT_MAX : 65504;
    size_t i = 0;
    while (i < n && fabsf(x[i]) <= most) i++; /* no NaN is */
    return i;
}
