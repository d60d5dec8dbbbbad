/* dtype.h - the table of number formats.
 *
 * A tensor's numbers are stored in blocks of `block` elements and `bytes` bytes.  Plain formats
 * have one element per block; quantized ones have 32 to 256, which share scales.  The values of
 * the enum are the ids of the GGUF file format.
 *
 * Invariant: a row consists of whole blocks [dtype_table_is_consistent]. */
#ifndef STRATA_DTYPE_H
#define STRATA_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Dtype {
    DTYPE_F32 = 0,
    DTYPE_F16 = 1,
    DTYPE_Q4_0 = 2,
    DTYPE_Q4_1 = 3,
    DTYPE_Q5_0 = 6,
    DTYPE_Q5_1 = 7,
    DTYPE_Q8_0 = 8,
    DTYPE_Q8_1 = 9,
    DTYPE_Q2_K = 10,
    DTYPE_Q3_K = 11,
    DTYPE_Q4_K = 12,
    DTYPE_Q5_K = 13,
    DTYPE_Q6_K = 14,
    DTYPE_Q8_K = 15,
    DTYPE_IQ2_XXS = 16,
    DTYPE_IQ2_XS = 17,
    DTYPE_IQ3_XXS = 18,
    DTYPE_IQ1_S = 19,
    DTYPE_IQ4_NL = 20,
    DTYPE_IQ3_S = 21,
    DTYPE_IQ2_S = 22,
    DTYPE_IQ4_XS = 23,
    DTYPE_I8 = 24,
    DTYPE_I16 = 25,
    DTYPE_I32 = 26,
    DTYPE_I64 = 27,
    DTYPE_F64 = 28,
    DTYPE_IQ1_M = 29,
    DTYPE_BF16 = 30,
    DTYPE_TQ1_0 = 34,
    DTYPE_TQ2_0 = 35,
    DTYPE_MXFP4 = 39,
    DTYPE_NVFP4 = 40,
    DTYPE_Q1_0 = 41,
    DTYPE_COUNT = 42, /* one past the largest id of the file format */
} Dtype;

typedef struct DtypeInfo {
    const char *name; /* NULL: an unassigned id */
    uint16_t block;   /* elements */
    uint16_t bytes;   /* per block */
} DtypeInfo;

/* The row of an id; NULL for an unassigned one. */
extern const DtypeInfo dtype_table[DTYPE_COUNT];
static inline const DtypeInfo *dtype_info(uint32_t id) {
    return id < DTYPE_COUNT && dtype_table[id].name ? &dtype_table[id] : NULL;
}

/* "F16"; "?" for an unassigned id. */
const char *dtype_name(uint32_t id);

/* Bytes of a row.  Needs a known format, and elements a multiple of its block. */
size_t dtype_row_bytes(Dtype dtype, size_t elements);

#endif
