/* batch.h - the tokens of one forward pass.
 *
 * Prefill, decoding, many users, draft verification, beams: all are rows of a batch, each with
 * its sequence and its position there.
 *
 *     row         0    1    2    3    4
 *     token       12   7    803  5    5       or input vectors: images, another model's output
 *     sequence    0    0    0    1    2
 *     position    0    1    2    57   31
 *     wanted      -    -    *    *    *       rows whose hidden state and logits are read */
#ifndef STRATA_BATCH_H
#define STRATA_BATCH_H

#include "nn.h"

typedef struct Batch {
    size_t count;
    const int32_t *token, *sequence, *position; /* (count) each */
    const bool *wanted;                         /* (count) */
    /* (count, dim) instead of token embeddings, or beside them (join.h); or NULL */
    const float *input;
} Batch;

#endif
