/* quantized.c - see quantized.h: the table of formats. */
#include "quantized.h"

static const QuantFormat formats[DTYPE_COUNT] = {
    /*                 read         group  offset  span  min    scales      codebook */
    [DTYPE_Q4_0] = {unpack_q4_0, 32, 8, 15, false, SCALE_F16, NULL},
    [DTYPE_Q4_1] = {unpack_q4_1, 32, 0, 15, true, SCALE_F16, NULL},
    [DTYPE_Q5_0] = {unpack_q5_0, 32, 16, 31, false, SCALE_F16, NULL},
    [DTYPE_Q5_1] = {unpack_q5_1, 32, 0, 31, true, SCALE_F16, NULL},
    [DTYPE_Q8_0] = {unpack_q8_0, 32, 0, 0, false, SCALE_F16, NULL},
    [DTYPE_MXFP4] = {unpack_mxfp4, 32, 12, 24, false, SCALE_BF16, mxfp4_codebook},
    [DTYPE_IQ4_NL] = {unpack_iq4_nl, 32, 0, 0, false, SCALE_F16, iq4_codebook},
    [DTYPE_IQ4_XS] = {unpack_iq4_xs, 32, 0, 0, false, SCALE_SUPERBLOCK, iq4_codebook},
    [DTYPE_Q2_K] = {unpack_q2_k, 16, 0, 3, true, SCALE_SUPERBLOCK, NULL},
    [DTYPE_Q3_K] = {unpack_q3_k, 16, 4, 7, false, SCALE_SUPERBLOCK, NULL},
    [DTYPE_Q4_K] = {unpack_q4_k, 32, 0, 15, true, SCALE_SUPERBLOCK, NULL},
    [DTYPE_Q5_K] = {unpack_q5_k, 32, 0, 31, true, SCALE_SUPERBLOCK, NULL},
    [DTYPE_Q6_K] = {unpack_q6_k, 16, 32, 63, false, SCALE_SUPERBLOCK, NULL},
    [DTYPE_IQ1_S] = {unpack_iq1_s, 32, 9, 18, false, SCALE_SUPERBLOCK, iq1_codebook},
    [DTYPE_IQ1_M] = {unpack_iq1_m, 16, 9, 18, false, SCALE_SUPERBLOCK, iq1_codebook},
    [DTYPE_IQ2_XXS] = {unpack_iq2_xxs, 32, 43, 86, false, SCALE_SUPERBLOCK, iq2_codebook},
    [DTYPE_IQ2_XS] = {unpack_iq2_xs, 16, 43, 86, false, SCALE_SUPERBLOCK, iq2_codebook},
    [DTYPE_IQ2_S] = {unpack_iq2_s, 16, 43, 86, false, SCALE_SUPERBLOCK, iq2_codebook},
    [DTYPE_IQ3_XXS] = {unpack_iq3_xxs, 32, 62, 124, false, SCALE_SUPERBLOCK, iq3_xxs_codebook},
    [DTYPE_IQ3_S] = {unpack_iq3_s, 32, 15, 30, false, SCALE_SUPERBLOCK, iq3_s_codebook},
    [DTYPE_TQ1_0] = {unpack_tq1_0, 32, 1, 2, false, SCALE_SUPERBLOCK, NULL},
    [DTYPE_TQ2_0] = {unpack_tq2_0, 32, 1, 3, false, SCALE_SUPERBLOCK, NULL},
};

const QuantFormat *quant_format(Dtype dtype) {
    return dtype < DTYPE_COUNT && formats[dtype].unpack ? &formats[dtype] : NULL;
}
