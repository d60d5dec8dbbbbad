/* convert.c - see convert.h. */
#include "convert.h"
#include "quantized.h"
#include "size.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool dtype_is_quantized(uint32_t dtype) { return quant_format((Dtype)dtype) != NULL; }

bool dtype_is_computable(uint32_t dtype) {
    return dtype == DTYPE_F32 || dtype == DTYPE_F16 || dtype == DTYPE_BF16 ||
           dtype_is_quantized(dtype);
}

/* weight = scale * quant + min */
static void dequantize_quants(const QuantFormat *f, const Quants *quants, float *out,
                              size_t n) {
    size_t group = (size_t)f->group;
    for (size_t g = 0; g < n / group; g++) {
        float scale = quants_scale(f, quants, g), min = f->min ? quants_min(f, quants, g) : 0;
        for (size_t k = g * group; k < (g + 1) * group; k++) {
            out[k] = (float)(quants->q[k] - f->offset) * scale;
            if (f->min) out[k] += min;
        }
    }
}

static void dequantize_quantized(Dtype dtype, const char *row, float *out, size_t n) {
    Quants quants;
    REQUIRE(dtype_is_quantized(dtype), "%s cannot be computed with", dtype_name(dtype));
    for (size_t k = 0; k < n; k += PANEL_COLS, row += dtype_row_bytes(dtype, PANEL_COLS)) {
        size_t some = min_size(PANEL_COLS, n - k);
        quant_format(dtype)->unpack(row, some, &quants);
        dequantize_quants(quant_format(dtype), &quants, out + k, some);
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
    default: dequantize_quantized(dtype, row, out, n);
    }
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

/* The function that writes a format; NULL: none. */
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
    const float max = dtype == DTYPE_F32 || dtype == DTYPE_BF16 ? FLT_MAX
                      : dtype == DTYPE_NVFP4                    ? 6 * 448
                                                                : 65504;
    size_t i = 0;
    while (i < n && fabsf(x[i]) <= max) i++; /* false for NaN */
    return i;
}
