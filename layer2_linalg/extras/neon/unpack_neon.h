/* unpack_neon.h - read packed weights, four of the sixteen rows in one register.  Read
 * packed_layout.h first. */
#ifndef STRATA_UNPACK_NEON_H
#define STRATA_UNPACK_NEON_H

#include "neon.h"
#include "simd/packed_layout.h"

/* A codebook of sixteen quants. */
INLINE int8x16_t load_codebook(const int8_t *codebook) {
    return codebook ? vld1q_s8(codebook) : vdupq_n_s8(0);
}

/* `bits` of each byte, shifted left, or right if `left` < 0. */
INLINE uint8x16_t bits_of(const unsigned char *from, int up, int bits) {
    return vandq_u8(vshlq_u8(vld1q_u8(from), vdupq_n_s8((int8_t)up)),
                    vdupq_n_u8((uint8_t)bits));
}

/* Quad i of a block's eight for rows 4 r .. 4 r + 3; bits and i are constants at each call. */
INLINE int8x16_t quad_of(int bits, const unsigned char *block, int i, int r, int8x16_t codebook,
                         bool use_codebook) {
    const unsigned char *low = block + 16 * r, *high = low + 256;
    if (bits == 8) return vld1q_s8((const int8_t *)low + 64 * i);
    uint8x16_t v = bits_of(low + 64 * (i % 4), i < 4 ? 0 : -4, 15);
    if (bits == 5) v = vorrq_u8(v, bits_of(high, 4 - i, 16));
    if (bits == 6) v = vorrq_u8(v, bits_of(high + 64 * (i / 4), 4 - 2 * (i % 4), 48));
    return use_codebook ? vqtbl1q_s8(codebook, v) : vreinterpretq_s8_u8(v);
}

/* The scales (or mins) of group g for four rows from `row` on. */
INLINE float32x4_t scales_of(ScaleKind kind, const unsigned char *from, size_t g, size_t row) {
    if (kind == SCALE_SUPERBLOCK) {
        int32_t bytes;
        memcpy(&bytes, from + 64 + PANEL_ROWS * g + row, 4);
        int8x8_t sub_scale = vreinterpret_s8_s32(vdup_n_s32(bytes));
        int32x4_t whole = vmovl_s16(vget_low_s16(vmovl_s8(sub_scale)));
        return vmulq_f32(vld1q_f32((const float *)(const void *)from + row),
                         vcvtq_f32_s32(whole));
    }
    uint16x4_t half = vld1_u16((const uint16_t *)(const void *)from + PANEL_ROWS * g + row);
    return kind == SCALE_F16 ? vcvt_f32_f16(vreinterpret_f16_u16(half))
                             : vreinterpretq_f32_u32(vshll_n_u16(half, 16));
}

#endif
