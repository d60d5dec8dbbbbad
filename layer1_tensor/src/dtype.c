/* dtype.c - see dtype.h.  Block sizes from the GGUF specification. */
#include "dtype.h"
#include "fault.h"

#include <strings.h>

static const DtypeInfo table[DTYPE_COUNT] = {
    /* plain: one number, one element */
    [0] = {"F32", 1, 4},
    [1] = {"F16", 1, 2},
    [30] = {"BF16", 1, 2},
    [24] = {"I8", 1, 1},
    [25] = {"I16", 1, 2},
    [26] = {"I32", 1, 4},
    [27] = {"I64", 1, 8},
    [28] = {"F64", 1, 8},
    /* 32 numbers share a scale */
    [2] = {"Q4_0", 32, 18},
    [3] = {"Q4_1", 32, 20},
    [6] = {"Q5_0", 32, 22},
    [7] = {"Q5_1", 32, 24},
    [8] = {"Q8_0", 32, 34},
    [9] = {"Q8_1", 32, 36},
    [20] = {"IQ4_NL", 32, 18},
    [39] = {"MXFP4", 32, 17},
    [40] = {"NVFP4", 64, 36},
    [41] = {"Q1_0", 128, 18},
    /* 256 numbers share a scale of scales */
    [10] = {"Q2_K", 256, 84},
    [11] = {"Q3_K", 256, 110},
    [12] = {"Q4_K", 256, 144},
    [13] = {"Q5_K", 256, 176},
    [14] = {"Q6_K", 256, 210},
    [15] = {"Q8_K", 256, 292},
    [16] = {"IQ2_XXS", 256, 66},
    [17] = {"IQ2_XS", 256, 74},
    [18] = {"IQ3_XXS", 256, 98},
    [19] = {"IQ1_S", 256, 50},
    [21] = {"IQ3_S", 256, 110},
    [22] = {"IQ2_S", 256, 82},
    [23] = {"IQ4_XS", 256, 136},
    [29] = {"IQ1_M", 256, 56},
    [34] = {"TQ1_0", 256, 54},
    [35] = {"TQ2_0", 256, 66},
};

const DtypeInfo *dtype_info(uint32_t id) {
    return id < DTYPE_COUNT && table[id].name ? &table[id] : NULL;
}

const char *dtype_name(uint32_t id) {
    const DtypeInfo *info = dtype_info(id);
    return info ? info->name : "?";
}

int dtype_by_name(const char *name) {
    for (int id = 0; id < DTYPE_COUNT; id++)
        if (table[id].name && strcasecmp(table[id].name, name) == 0) return id;
    return -1;
}

size_t dtype_row_bytes(Dtype dtype, size_t elements) {
    const DtypeInfo *info = dtype_info(dtype);
    REQUIRE(info, "no number format has the id %d", (int)dtype);
    REQUIRE(elements % info->block == 0, "a row of %zu does not divide into blocks of %d (%s)",
            elements, info->block, info->name);
    return elements / info->block * info->bytes;
}
