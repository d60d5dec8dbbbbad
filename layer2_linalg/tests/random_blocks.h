/* random_blocks.h - rows of random blocks in every quantized format, with scales that are sane
 * numbers. */
#ifndef STRATA_RANDOM_BLOCKS_H
#define STRATA_RANDOM_BLOCKS_H

#include "../extras/formats/blocks_extras.h"
#include "linalg.h"

/* hash: FNV-1a of what a row of random blocks reads as.  These rows read to the same bits in
 * llama.cpp's reference dequantizers (checked when the numbers were taken). */
static const struct {
    Dtype dtype;
    size_t bytes;
    int d[2]; /* where f16 scales lie in a block; -1: none */
    uint64_t hash;
} formats[] = {{DTYPE_Q4_0, sizeof(BlockQ4_0), {0, -1}, 0x46F4E58C644D5CBFu},
               {DTYPE_Q4_1, sizeof(BlockQ4_1), {0, 2}, 0xDE6B70073AFBE9DDu},
               {DTYPE_Q5_0, sizeof(BlockQ5_0), {0, -1}, 0x0317678EE8E2F0F3u},
               {DTYPE_Q5_1, sizeof(BlockQ5_1), {0, 2}, 0xC0687BB6B7C8BFA4u},
               {DTYPE_Q8_0, sizeof(BlockQ8_0), {0, -1}, 0x5BFDBE674F0CCF19u},
               {DTYPE_Q2_K, sizeof(BlockQ2_K), {80, 82}, 0xD49D8F50E72EEAE1u},
               {DTYPE_Q3_K, sizeof(BlockQ3_K), {108, -1}, 0xC1530EBB1A9264D0u},
               {DTYPE_Q4_K, sizeof(BlockQ4_K), {0, 2}, 0xEECEE9864C6B0133u},
               {DTYPE_Q5_K, sizeof(BlockQ5_K), {0, 2}, 0x04105C9FEF72B67Eu},
               {DTYPE_Q6_K, sizeof(BlockQ6_K), {208, -1}, 0xBE5172742E2939C9u},
               {DTYPE_IQ4_NL, sizeof(BlockIQ4_NL), {0, -1}, 0x39878D3468758B41u},
               {DTYPE_IQ4_XS, sizeof(BlockIQ4_XS), {0, -1}, 0x529052764C6A0C22u},
               {DTYPE_MXFP4, sizeof(BlockMXFP4), {-1, -1}, 0x08304A7696638F34u},
               {DTYPE_NVFP4, sizeof(BlockNVFP4), {-1, -1}, 0xD5910E93BC036FA0u},
               {DTYPE_Q1_0, sizeof(BlockQ1_0), {0, -1}, 0xCCA0AF1EAED323A5u},
               {DTYPE_TQ1_0, sizeof(BlockTQ1_0), {52, -1}, 0x4D5DA2BBB09C705Cu},
               {DTYPE_TQ2_0, sizeof(BlockTQ2_0), {64, -1}, 0xBD6EB1AF068FE35Du},
               {DTYPE_IQ1_S, sizeof(BlockIQ1_S), {0, -1}, 0xDF5C8B3B3C24CD42u},
               {DTYPE_IQ1_M, sizeof(BlockIQ1_M), {-1, -1}, 0x14159893CCBE18D6u},
               {DTYPE_IQ2_XXS, sizeof(BlockIQ2_XXS), {0, -1}, 0x37B60839B8624286u},
               {DTYPE_IQ2_XS, sizeof(BlockIQ2_XS), {0, -1}, 0x33A7CF173AAA1D54u},
               {DTYPE_IQ2_S, sizeof(BlockIQ2_S), {0, -1}, 0x536766005BE0308Eu},
               {DTYPE_IQ3_XXS, sizeof(BlockIQ3_XXS), {0, -1}, 0x6561D859F3BD43F1u},
               {DTYPE_IQ3_S, sizeof(BlockIQ3_S), {0, -1}, 0xD64ACC78667735CAu}};
enum { FORMATS = sizeof formats / sizeof *formats, ROW = 1024 };

/* Random bytes, with scales that are sane numbers. */
static inline void fill(int f, uint64_t row, unsigned char *out) {
    size_t bytes = dtype_row_bytes(formats[f].dtype, ROW);
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)rng_hash(7 + row, (uint64_t)formats[f].dtype, i);
    for (size_t at = 0; at < bytes; at += formats[f].bytes)
        for (int k = 0; k < 2; k++) {
            if (formats[f].d[k] < 0) continue;
            uint16_t d = f16_from_f32((float)(rng_unit(8 + row, at, (uint64_t)k) - 0.4) / 16);
            memcpy(out + at + formats[f].d[k], &d, 2);
        }
    for (size_t at = 0; formats[f].dtype == DTYPE_MXFP4 && at < bytes; at += 17)
        out[at] = (unsigned char)(110 + out[at] % 20);
    for (size_t at = 0; formats[f].dtype == DTYPE_IQ1_M && at < bytes; at += sizeof(BlockIQ1_M))
        out[at + 55] = (unsigned char)((out[at + 55] & 0x8F) | 0x20); /* the top of d */
}

#endif
