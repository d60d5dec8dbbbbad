/* embedding.h - a token's row of the embedding table. */
#ifndef STRATA_EMBEDDING_H
#define STRATA_EMBEDDING_H

#include "linalg.h"

/* out (dim) = row `token` of table (vocab, dim), any computable format.  Needs token <
 * vocab. */
void embedding(float *out, const Tensor *table, size_t token);

/* dtable[token] += dy, for an f32 gradient table (vocab, dim). */
void embedding_backward(float *dtable, size_t token, const float *dy, size_t dim);

#endif
