/* quant_formats.c - all quantized formats: those of the core and of formats/. */
#include "quant_formats.h"
#include "formats/blocks_extras.h"

/* clang-format off */
const QuantFormat quant_formats[DTYPE_COUNT] = {
    QUANT_FORMATS_OF_THE_CORE,
    [DTYPE_MXFP4]   = {unpack_mxfp4,   quantize_mxfp4,  32, 12, 24,  false, SCALE_BF16,       mxfp4_codebook},
    [DTYPE_NVFP4]   = {unpack_nvfp4,   quantize_nvfp4,  16, 12, 24,  false, SCALE_F16,        mxfp4_codebook},
    [DTYPE_Q1_0]    = {unpack_q1_0,    quantize_q1_0,   32, 1,  2,   false, SCALE_F16,        NULL},
    [DTYPE_IQ4_NL]  = {unpack_iq4_nl,  quantize_iq4_nl, 32, 0,  0,   false, SCALE_F16,        iq4_codebook},
    [DTYPE_IQ4_XS]  = {unpack_iq4_xs,  quantize_iq4_xs, 32, 0,  0,   false, SCALE_SUPERBLOCK, iq4_codebook},
    [DTYPE_IQ1_S]   = {unpack_iq1_s,   quantize_iq1_s,            32, 9,  18,  false, SCALE_SUPERBLOCK, iq1_codebook},
    [DTYPE_IQ1_M]   = {unpack_iq1_m,   quantize_iq1_m,            16, 9,  18,  false, SCALE_SUPERBLOCK, iq1_codebook},
    [DTYPE_IQ2_XXS] = {unpack_iq2_xxs, quantize_iq2_xxs,            32, 43, 86,  false, SCALE_SUPERBLOCK, iq2_codebook},
    [DTYPE_IQ2_XS]  = {unpack_iq2_xs,  quantize_iq2_xs,            16, 43, 86,  false, SCALE_SUPERBLOCK, iq2_codebook},
    [DTYPE_IQ2_S]   = {unpack_iq2_s,   quantize_iq2_s,            16, 43, 86,  false, SCALE_SUPERBLOCK, iq2_codebook},
    [DTYPE_IQ3_XXS] = {unpack_iq3_xxs, quantize_iq3_xxs,            32, 62, 124, false, SCALE_SUPERBLOCK, iq3_xxs_codebook},
    [DTYPE_IQ3_S]   = {unpack_iq3_s,   quantize_iq3_s,            32, 15, 30,  false, SCALE_SUPERBLOCK, iq3_s_codebook},
    [DTYPE_TQ1_0]   = {unpack_tq1_0,   quantize_tq1_0,  32, 1,  2,   false, SCALE_SUPERBLOCK, NULL},
    [DTYPE_TQ2_0]   = {unpack_tq2_0,   quantize_tq2_0,  32, 1,  3,   false, SCALE_SUPERBLOCK, NULL},
};
/* clang-format on */
