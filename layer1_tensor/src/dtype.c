/* dtype.c - see dtype.h.  Block sizes from the GGUF specification. */
#include "dtype.h"
#include "fault.h"

const DtypeInfo dtype_table[DTYPE_COUNT] = {
    /* plain */
    [DTYPE_F32] = {"F32", 1, 4},
    [DTYPE_F16] = {"F16", 1, 2},
    [DTYPE_BF16] = {"BF16", 1, 2},
    [DTYPE_I8] = {"I8", 1, 1},
    [DTYPE_I16] = {"I16", 1, 2},
    [DTYPE_I32] = {"I32", 1, 4},
    [DTYPE_I64] = {"I64", 1, 8},
    [DTYPE_F64] = {"F64", 1, 8},
    /* 32 numbers share a scale, or 16 (NVFP4) or 128 (Q1_0) */
    [DTYPE_Q4_0] = {"Q4_0", 32, 18},
    [DTYPE_Q4_1] = {"Q4_1", 32, 20},
    [DTYPE_Q5_0] = {"Q5_0", 32, 22},
    [DTYPE_Q5_1] = {"Q5_1", 32, 24},
    [DTYPE_Q8_0] = {"Q8_0", 32, 34},
    [DTYPE_Q8_1] = {"Q8_1", 32, 36},
    [DTYPE_IQ4_NL] = {"IQ4_NL", 32, 18},
    [DTYPE_MXFP4] = {"MXFP4", 32, 17},
    [DTYPE_NVFP4] = {"NVFP4", 64, 36},
    [DTYPE_Q1_0] = {"Q1_0", 128, 18},
    /* 256 numbers share a scale of scales */
    [DTYPE_Q2_K] = {"Q2_K", 256, 84},
    [DTYPE_Q3_K] = {"Q3_K", 256, 110},
    [DTYPE_Q4_K] = {"Q4_K", 256, 144},
    [DTYPE_Q5_K] = {"Q5_K", 256, 176},
    [DTYPE_Q6_K] = {"Q6_K", 256, 210},
    [DTYPE_Q8_K] = {"Q8_K", 256, 292},
    [DTYPE_IQ2_XXS] = {"IQ2_XXS", 256, 66},
    [DTYPE_IQ2_XS] = {"IQ2_XS", 256, 74},
    [DTYPE_IQ3_XXS] = {"IQ3_XXS", 256, 98},
    [DTYPE_IQ1_S] = {"IQ1_S", 256, 50},
    [DTYPE_IQ3_S] = {"IQ3_S", 256, 110},
    [DTYPE_IQ2_S] = {"IQ2_S", 256, 82},
    [DTYPE_IQ4_XS] = {"IQ4_XS", 256, 136},
    [DTYPE_IQ1_M] = {"IQ1_M", 256, 56},
    [DTYPE_TQ1_0] = {"TQ1_0", 256, 54},
    [DTYPE_TQ2_0] = {"TQ2_0", 256, 66},
};

const char *dtype_name(uint32_t id) {
    const DtypeInfo *info = dtype_info(id);
    return info ? info->name : "?";
}

size_t dtype_row_bytes(Dtype dtype, size_t elements) {
    const DtypeInfo *info = dtype_info(dtype);
    REQUIRE(info, "no number format has the id %d", (int)dtype);
    REQUIRE(elements % info->block == 0, "a row of %zu does not divide into blocks of %d (%s)",
            elements, info->block, info->name);
    return elements / info->block * info->bytes;
}
