/* packed.h - quantized weights, repacked for repeated reading.
 *
 *     file      row 0: k0 k1 k2 ...              row 1: k0 k1 k2 ...
 *     packed    16 rows by 256 weights, as a panel wants them, tile after tile
 *
 * Invariant: products of packed weights are those of the weights in the file, to the bit. */
#ifndef STRATA_PACKED_H
#define STRATA_PACKED_H

#include "tensor.h"

/* Tiles of 16 rows by 256 weights after one another, each as
 *
 *     | scales (and mins) | 32 weights of 16 rows: four bits of each, one or two more bits of each | the next 32 | ...
 *
 * with signed quants as whole bytes.  About as large as in the file, where that has four bits or more for a weight: fewer
 * become four.  Reading such a tile takes a few shifts; reading it from the file takes interleaving 16 rows as well. */
typedef struct PackedWeights {
    const struct QuantFormat *format;
    size_t rows, cols, tile_bytes; /* of 16 rows by 256 weights */
    unsigned char *data;           /* borrows: packed_bytes */
} PackedWeights;

/* The bytes that a matrix takes so, and its weights brought into this order. */
size_t packed_bytes(Dtype dtype, size_t rows, size_t cols);
void packed_fill(Pool *pool, PackedWeights *packed, const Tensor *w, void *data);

#endif
