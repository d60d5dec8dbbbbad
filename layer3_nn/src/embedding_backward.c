/* embedding_backward.c - see embedding.h. */
#include "embedding.h"

void embedding_backward(float *dtable, size_t token, const float *dy, size_t dim) {
    axpy(dtable + token * dim, 1, dy, dim);
}
