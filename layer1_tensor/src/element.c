/* element.c - where a row and a number of a tensor lie.  See view.h. */
#include "half.h"
#include "view.h"

#include <string.h>

/* Where row i begins: rows are counted in order, the index of the last but one dimension running fastest. */
static const char *row_at(const Tensor *tensor, size_t i) {
    const char *row = tensor->data;
    for (int dim = tensor->ndim - 2; dim >= 0; i /= tensor->shape[dim--])
        row += i % tensor->shape[dim] * tensor->stride[dim];
    return row;
}

const void *tensor_row(const Tensor *tensor, size_t i) {
    size_t rows = 1;
    for (int dim = tensor->ndim - 2; dim >= 0; dim--) rows *= tensor->shape[dim];
    REQUIRE(i < rows, "row %zu of %zu", i, rows);
    REQUIRE(tensor_rows_are_contiguous(tensor), "a transpose has no rows in one piece");
    return row_at(tensor, i);
}

static uint16_t load16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }

float tensor_get(const Tensor *tensor, const size_t *index) {
    const unsigned char *p = tensor->data;
    int last = tensor->ndim - 1;
    size_t block = dtype_info(tensor->dtype)->block;
    for (int i = 0; i < last; i++) p += index[i] * tensor->stride[i];
    p += index[last] / block * tensor->stride[last];
    float value;
    switch (tensor->dtype) {
    case DTYPE_F32: memcpy(&value, p, sizeof value); return value;
    case DTYPE_F16: return f16_to_f32(load16(p));
    case DTYPE_BF16: return bf16_to_f32(load16(p));
    case DTYPE_Q8_0: return f16_to_f32(load16(p)) * (float)(signed char)p[2 + index[last] % 32];
    default: REQUIRE(false, "%s elements are not read one by one", dtype_name(tensor->dtype));
    }
    return 0;
}
