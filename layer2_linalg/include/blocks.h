/* blocks.h - how the quantized formats lie in memory; each is drawn and explained where it is read, in src/formats.
 *
 * Invariant: a struct has exactly the bytes that dtype.h's table gives for a block (a test holds them
 * together); fields are little-endian, and no struct has padding. */
#ifndef STRATA_BLOCKS_H
#define STRATA_BLOCKS_H

#include "dot.h"

enum { SMALL_BLOCK = 32, SUPER_BLOCK = 256 }; /* elements */

typedef struct BlockQ4_0 {
    uint16_t d; /* f16, like every d, m, dmin below */
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

typedef struct BlockMXFP4 {
    uint8_t exponent, q[16];
} BlockMXFP4;

typedef BlockQ4_0 BlockIQ4_NL;

typedef struct BlockIQ4_XS {
    uint16_t d, scales_high;
    uint8_t scales_low[4], q[128];
} BlockIQ4_XS;

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

typedef struct BlockTQ1_0 {
    uint8_t q[48], rest[4];
    uint16_t d;
} BlockTQ1_0;

typedef struct BlockTQ2_0 {
    uint8_t q[64];
    uint16_t d;
} BlockTQ2_0;

/* Read n stored numbers.  Needs n a multiple of the format's block. */
typedef void Dequantize(const void *row, float *out, size_t n);
Dequantize dequantize_q8_0, dequantize_q4_0, dequantize_q4_1, dequantize_q5_0, dequantize_q5_1,
    dequantize_mxfp4, dequantize_iq4_nl, dequantize_iq4_xs, dequantize_q2_k, dequantize_q3_k,
    dequantize_q4_k, dequantize_q5_k, dequantize_q6_k, dequantize_tq1_0, dequantize_tq2_0;

/* Store n floats, as the published reference algorithm of each format does, to the byte. */
typedef void Quantize(const float *x, void *row, size_t n);
Quantize quantize_q8_0, quantize_q4_0, quantize_q4_1, quantize_q5_0, quantize_q5_1,
    quantize_mxfp4, quantize_tq1_0, quantize_tq2_0;

#endif
