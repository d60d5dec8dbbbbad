/* dot_quantized.c - the textbook's dot product with a quantized row.  See dot.h. */
#include "convert.h"
#include "dot.h"
#include "quantized.h"
#include "size.h"

/* PANEL_COLS numbers at a time become floats, which bounds the memory whatever n is. */
float dot_quantized(Dtype dtype, const void *row, const float *x, size_t n) {
    float block[PANEL_COLS], sum = 0;
    for (size_t k = 0; k < n; k += PANEL_COLS) {
        size_t some = min_size(PANEL_COLS, n - k);
        dequantize_row(dtype, (const char *)row + dtype_row_bytes(dtype, k), block, some);
        for (size_t i = 0; i < some; i++) sum += block[i] * x[k + i];
    }
    return sum;
}
