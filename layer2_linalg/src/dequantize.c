/* dequantize.c - stored rows back to floats.  See convert.h. */
#include "convert.h"
#include "quantized.h"

#include <string.h>

static void dequantize_f32(const void *row, float *out, size_t n) {
    memcpy(out, row, n * sizeof *out);
}

/* out (n) = n numbers of F16, widened. */
static void dequantize_f16(const void *row, float *out, size_t n) {
    const uint16_t *half = row;
    for (size_t i = 0; i < n; i++) out[i] = f16_to_f32(half[i]);
}

/* out (n) = n numbers of BF16, widened. */
static void dequantize_bf16(const void *row, float *out, size_t n) {
    const uint16_t *half = row;
    for (size_t i = 0; i < n; i++) out[i] = bf16_to_f32(half[i]);
}

/* weight = scale * quant + min, for 256 numbers at a time. */
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
    for (size_t k = 0; k < n; k += PANEL_COLS, row += dtype_row_bytes(dtype, PANEL_COLS)) {
        size_t some = n - k < PANEL_COLS ? n - k : PANEL_COLS;
        quant_format(dtype)->unpack(row, some, &quants);
        dequantize_quants(quant_format(dtype), &quants, out + k, some);
    }
}

void dequantize_row(Dtype dtype, const void *row, float *out, size_t n) {
    REQUIRE(dtype_is_computable(dtype), "%s cannot be computed with", dtype_name(dtype));
    if (dtype == DTYPE_F32)
        dequantize_f32(row, out, n);
    else if (dtype == DTYPE_F16)
        dequantize_f16(row, out, n);
    else if (dtype == DTYPE_BF16)
        dequantize_bf16(row, out, n);
    else
        dequantize_quantized(dtype, row, out, n);
}
