/* packed.h - quantized weights, repacked for repeated reading.
 *
 *     file      row 0: k0 k1 k2 ...              row 1: k0 k1 k2 ...
 *     packed    tiles of 16 rows by 256 weights, in the order of panels (panel.h)
 *
 * Invariant: products have the same bits as with the weights in the file [products,
 * stored_weights]. */
#ifndef STRATA_PACKED_H
#define STRATA_PACKED_H

#include "tensor.h"

/* A tile is
 *
 *     | scales (and mins) | 32 weights of 16 rows: 4 bits each, then the rest | next 32 | ...
 *
 * with signed quants as whole bytes.  About as large as in the file; but weights of less than 4
 * bits take 4.  Reading a tile takes a few shifts; reading it from the file also takes
 * interleaving 16 rows. */
typedef struct PackedWeights {
    const struct QuantFormat *format;
    size_t rows, cols, tile_bytes; /* of 16 rows by 256 weights */
    unsigned char *data;           /* (packed_bytes) borrowed */
} PackedWeights;

/* Bytes of a packed matrix; pack its weights into `data`. */
size_t packed_bytes(Dtype dtype, size_t rows, size_t cols);
void packed_fill(Pool *pool, PackedWeights *packed, const Tensor *w, void *data);

#endif
