/* blocks.h - the quantized formats in memory; src/formats draws and explains each.
 *
 * Invariant: a struct has exactly the bytes of a block in dtype.h's table (tested); fields are
 * little-endian, without padding. */
#ifndef STRATA_BLOCKS_H
#define STRATA_BLOCKS_H

#include "tensor.h"

enum { SMALL_BLOCK = 32, SUPER_BLOCK = 256 }; /* elements */

typedef struct BlockQ8_0 {
    uint16_t d; /* f16, like every d, m, dmin below */
    int8_t q[32];
} BlockQ8_0;

typedef struct BlockQ4_0 {
    uint16_t d;
    uint8_t q[16];
} BlockQ4_0;

typedef struct BlockQ4_1 {
    uint16_t d, m;
    uint8_t q[16];
} BlockQ4_1;

typedef struct BlockQ5_0 {
    uint16_t d;
    uint8_t high[4], q[16];
} BlockQ5_0;

typedef struct BlockQ5_1 {
    uint16_t d, m;
    uint8_t high[4], q[16];
} BlockQ5_1;

typedef struct BlockQ2_K {
    uint8_t scales[16], q[64];
    uint16_t d, dmin;
} BlockQ2_K;

typedef struct BlockQ3_K {
    uint8_t high[32], q[64], scales[12];
    uint16_t d;
} BlockQ3_K;

typedef struct BlockQ4_K {
    uint16_t d, dmin;
    uint8_t scales[12], q[128];
} BlockQ4_K;

typedef struct BlockQ5_K {
    uint16_t d, dmin;
    uint8_t scales[12], high[32], q[128];
} BlockQ5_K;

typedef struct BlockQ6_K {
    uint8_t low[128], high[64];
    int8_t scales[16];
    uint16_t d;
} BlockQ6_K;

/* Store n floats: as the published reference algorithm does, to the byte; K and IQ4 formats by
 * a search for the scales of least error.
 *
 *   importance   (n)   weights of the squared errors; NULL: all 1 */
typedef void Quantize(const float *x, const float *importance, void *row, size_t n);
Quantize quantize_q8_0, quantize_q4_0, quantize_q4_1, quantize_q5_0, quantize_q5_1,
    quantize_q2_k, quantize_q3_k, quantize_q4_k, quantize_q5_k, quantize_q6_k;

#endif
