/* quant_formats.h - the core's quantized formats as rows; private to both quant_formats.c. */
#ifndef STRATA_QUANT_FORMATS_H
#define STRATA_QUANT_FORMATS_H

#include "quantized.h"

/* clang-format off */
/* unpack, quantize, group, offset, span, min, scales, codebook */
#define QUANT_FORMATS_OF_THE_CORE                                                                 \
    [DTYPE_Q4_0] = {unpack_q4_0, quantize_q4_0, 32, 8,  15, false, SCALE_F16,        NULL},         \
    [DTYPE_Q4_1] = {unpack_q4_1, quantize_q4_1, 32, 0,  15, true,  SCALE_F16,        NULL},         \
    [DTYPE_Q5_0] = {unpack_q5_0, quantize_q5_0, 32, 16, 31, false, SCALE_F16,        NULL},         \
    [DTYPE_Q5_1] = {unpack_q5_1, quantize_q5_1, 32, 0,  31, true,  SCALE_F16,        NULL},         \
    [DTYPE_Q8_0] = {unpack_q8_0, quantize_q8_0, 32, 0,  0,  false, SCALE_F16,        NULL},         \
    [DTYPE_Q2_K] = {unpack_q2_k, quantize_q2_k, 16, 0,  3,  true,  SCALE_SUPERBLOCK, NULL},         \
    [DTYPE_Q3_K] = {unpack_q3_k, quantize_q3_k, 16, 4,  7,  false, SCALE_SUPERBLOCK, NULL},         \
    [DTYPE_Q4_K] = {unpack_q4_k, quantize_q4_k, 32, 0,  15, true,  SCALE_SUPERBLOCK, NULL},         \
    [DTYPE_Q5_K] = {unpack_q5_k, quantize_q5_k, 32, 0,  31, true,  SCALE_SUPERBLOCK, NULL},         \
    [DTYPE_Q6_K] = {unpack_q6_k, quantize_q6_k, 16, 32, 63, false, SCALE_SUPERBLOCK, NULL}
/* clang-format on */

#endif
