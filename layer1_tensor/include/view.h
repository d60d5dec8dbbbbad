/* view.h - the tensor: a shape and strides over borrowed bytes.
 *
 *     shape  (2, 3)                 element (i, j) is at  data + i * stride[0] + j * stride[1]
 *     stride (12, 4) bytes
 *                          data:  |00|01|02|10|11|12|       F32: 4 bytes each
 *
 * A slice moves `data` and shortens a shape; a transpose swaps two shapes and their strides; a
 * reshape of contiguous data writes new shapes and strides.  None of them touches an element.
 *
 * Matrices are (out, in): a row of a weight matrix belongs to one output.  GGUF stores shapes
 * in reverse order; only its reader and writer know that.
 *
 * Invariant: 1 <= ndim <= 4; unused shapes are 1; the last stride of a quantized format is one
 * block (a block cannot be cut) [strides_walk_the_data, rows_that_are_none]. */
#ifndef STRATA_VIEW_H
#define STRATA_VIEW_H

#include "dtype.h"
#include "fault.h"

#define TENSOR_MAX_DIMS 4

typedef struct Tensor {
    Dtype dtype;
    int ndim;
    size_t shape[TENSOR_MAX_DIMS];  /* elements */
    size_t stride[TENSOR_MAX_DIMS]; /* bytes; the last one per block */
    void *data;                     /* borrows */
} Tensor;

/* A row-major tensor over `data`.
 *
 *   shape   (ndim)   the last one a multiple of the format's block
 *   data    borrowed; holds tensor_bytes of it */
Tensor tensor_view(Dtype dtype, int ndim, const size_t *shape, void *data);

size_t tensor_count(const Tensor *tensor); /* elements */
size_t tensor_bytes(const Tensor *tensor); /* when contiguous */

/* All elements (or blocks) in one piece, the last index fastest.  The stride of a dimension of
 * one element (the last: of one block) does not matter. */
bool tensor_is_contiguous(const Tensor *tensor);

/* Each row in one piece, at any distance: true of slices, false of most transposes. */
bool tensor_rows_are_contiguous(const Tensor *tensor);

/* The elements begin .. end-1 along one dimension.
 *
 * Needs    dim < ndim, begin <= end <= shape[dim], block borders in the last dimension. */
Tensor tensor_slice(const Tensor *tensor, int dim, size_t begin, size_t end);

/* Entry i along the first dimension: one matrix of a stack.
 *
 * Needs    2 dimensions or more, i < shape[0]. */
Tensor tensor_select(const Tensor *tensor, size_t i);

/* Exchange two dimensions.
 *
 * Needs    a plain format if one is the last (blocks run along it). */
Tensor tensor_transpose(const Tensor *tensor, int dim_a, int dim_b);

/* Another shape over the same elements in the same order.
 *
 * Needs    contiguous data and the same number of elements. */
Tensor tensor_reshape(const Tensor *tensor, int ndim, const size_t *shape);

/* The bytes of row `i`, counted across all leading dimensions.
 *
 * Needs    rows in one piece (not a transpose), i < number of rows. */
const void *tensor_row(const Tensor *tensor, size_t i);

/* One element of an F32, F16, BF16 or Q8_0 tensor as a float; index has ndim entries. */
float tensor_get(const Tensor *tensor, const size_t *index);

/* text = "(2, 3)"; returns text. */
const char *tensor_shape_text(int ndim, const size_t *shape, char *text, size_t size);

#endif
