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

/* How numbers become a row of the format; NULL: not at all. */
static Quantize *writer_of(Dtype dtype) {
    switch (dtype) {
    case DTYPE_F32: return quantize_f32;
    case DTYPE_F16: return quantize_f16;
    case DTYPE_BF16: return quantize_bf16;
    default: return quant_format(dtype) ? quant_format(dtype)->quantize : NULL;
    }
}

bool dtype_is_writable(uint32_t dtype) { return writer_of((Dtype)dtype) != NULL; }

void quantize_row(Dtype dtype, const float *x, const float *importance, void *row, size_t n) {
    REQUIRE(dtype_is_writable(dtype), "%s cannot be written", dtype_name(dtype));
    REQUIRE(n % dtype_info(dtype)->block == 0, "a row of %zu does not divide into blocks of %d",
            n, dtype_info(dtype)->block);
    writer_of(dtype)(x, importance, row, n);
}

size_t quantize_misfit(Dtype dtype, const float *x, size_t n) {
    const float most = dtype == DTYPE_F32 || dtype == DTYPE_BF16 ? FLT_MAX : 65504;
    size_t i = 0;
    while (i < n && fabsf(x[i]) <= most) i++; /* no NaN is */
    return i;
}
