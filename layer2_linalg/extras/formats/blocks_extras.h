/* blocks_extras.h - the formats of this folder in memory; see blocks.h. */
#ifndef STRATA_BLOCKS_EXTRAS_H
#define STRATA_BLOCKS_EXTRAS_H

#include "../../src/quantized.h"

typedef struct BlockMXFP4 {
    uint8_t exponent, q[16];
} BlockMXFP4;

enum { NVFP4_BLOCK = 64, Q1_0_BLOCK = 128 }; /* elements */

typedef struct BlockNVFP4 {
    uint8_t d[4], q[4][8];
} BlockNVFP4;

typedef struct BlockQ1_0 {
    uint16_t d;
    uint8_t q[16];
} BlockQ1_0;

typedef BlockQ4_0 BlockIQ4_NL;

typedef struct BlockIQ4_XS {
    uint16_t d, scales_high;
    uint8_t scales_low[4], q[128];
} BlockIQ4_XS;

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

Quantize quantize_mxfp4, quantize_nvfp4, quantize_q1_0, quantize_tq1_0, quantize_tq2_0,
    quantize_iq4_nl, quantize_iq4_xs, quantize_iq1_s, quantize_iq1_m, quantize_iq2_xxs,
    quantize_iq2_xs, quantize_iq2_s, quantize_iq3_xxs, quantize_iq3_s;

/* The nearest of MXFP4's values times scale; the first of two equally near ones. */
int mxfp4_nearest(float x, float scale);

extern const int8_t iq4_codebook[16], mxfp4_codebook[16], iq1_codebook[16], iq2_codebook[16],
    iq3_xxs_codebook[16], iq3_s_codebook[16];

UnpackQuants unpack_mxfp4, unpack_nvfp4, unpack_q1_0, unpack_iq4_nl, unpack_iq4_xs,
    unpack_tq1_0, unpack_tq2_0, unpack_iq1_s, unpack_iq1_m, unpack_iq2_xxs, unpack_iq2_xs,
    unpack_iq2_s, unpack_iq3_xxs, unpack_iq3_s;

#endif
