/* blocks.h - how the quantized formats lie in memory; each is drawn and explained where it is read, in src/formats.
 *
 * Invariant: a struct has exactly the bytes that dtype.h's table gives for a block (a test holds them
 * together); fields are little-endian, and no struct has padding. */
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

typedef struct BlockIQ1_S {
    uint16_t d;
    uint8_t q[32];
    uint16_t high[8];
} BlockIQ1_S;

typedef struct BlockIQ1_M {
    uint8_t q[32], high[16];
    uint16_t scales[4];
} BlockIQ1_M;

typedef struct BlockIQ2_XXS {
    uint16_t d;
    uint8_t q[8][8];
} BlockIQ2_XXS;

typedef struct BlockIQ2_XS {
    uint16_t d, q[32];
    uint8_t scales[8];
} BlockIQ2_XS;

typedef struct BlockIQ2_S {
    uint16_t d;
    uint8_t q[32], signs[32], high[8], scales[8];
} BlockIQ2_S;

typedef struct BlockIQ3_XXS {
    uint16_t d;
    uint8_t q[64], rest[8][4];
} BlockIQ3_XXS;

typedef struct BlockIQ3_S {
    uint16_t d;
    uint8_t q[64], ninth[8], signs[32], scales[4];
} BlockIQ3_S;

/* Store n floats: plain formats as their published reference algorithm does, to the byte; the K and IQ4
 * formats by a search for the scales that err least.
 *
 *   importance   (n)   how much each square of an error counts; NULL: all the same
 */
typedef void Quantize(const float *x, const float *importance, void *row, size_t n);
Quantize quantize_q8_0, quantize_q4_0, quantize_q4_1, quantize_q5_0, quantize_q5_1,
    quantize_mxfp4, quantize_tq1_0, quantize_tq2_0, quantize_q2_k, quantize_q3_k, quantize_q4_k,
    quantize_q5_k, quantize_q6_k, quantize_iq4_nl, quantize_iq4_xs;

#endif
