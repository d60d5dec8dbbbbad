/* embedding.c - see embedding.h. */
#include "embedding.h"

void embedding(float *out, const Tensor *table, size_t token) {
    REQUIRE(token < table->shape[0], "token %zu of a vocabulary of %zu", token,
            table->shape[0]);
    dequantize_row(table->dtype, tensor_row(table, token), out, table->shape[1]);
}

void embedding_backward(float *dtable, size_t token, const float *dy, size_t dim) {
    axpy(dtable + token * dim, 1, dy, dim);
}
